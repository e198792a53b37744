//! The topology as a text, as Mermaid and as DOT. Pure.
//!
//! In the diagrams a source, a stage and a sink are nodes each; the `to` of a path is the edge into
//! its sink, a policy's dead letters are a dotted edge.

use std::fmt::{self, Formatter, Write as _};

use super::{ChainNode, Graph, Policy, StageKind, StageNode};

/// How a topology is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// A tree, for terminals.
    Text,
    /// A Mermaid flowchart, for pages.
    Mermaid,
    /// A Graphviz digraph.
    Dot,
}

/// A topology to be displayed; see [`Graph::render`].
#[derive(Clone, Copy, Debug)]
pub struct Rendered {
    graph: Graph,
    style: Style,
}

impl Graph {
    /// The topology in a style.
    #[must_use]
    pub const fn render(&self, style: Style) -> Rendered {
        Rendered { graph: *self, style }
    }

    /// The topology as a tree, each stage with its file and line.
    #[must_use]
    pub const fn text(&self) -> Rendered {
        self.render(Style::Text)
    }

    /// The topology as a Mermaid flowchart.
    #[must_use]
    pub const fn mermaid(&self) -> Rendered {
        self.render(Style::Mermaid)
    }

    /// The topology as a Graphviz digraph; a stage's file and line are its tooltip.
    #[must_use]
    pub const fn dot(&self) -> Rendered {
        self.render(Style::Dot)
    }
}

impl fmt::Display for Rendered {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.style {
            Style::Text => text(&self.graph, f),
            Style::Mermaid => mermaid(&self.graph, f),
            Style::Dot => dot(&self.graph, f),
        }
    }
}

/// A line of the text, and the line in the file of what it shows (0: none).
type Line = (String, u32);

fn text(graph: &Graph, f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "{}", graph.pipeline)?;
    for chain in graph.chains {
        let source = graph.sources.get(chain.source);
        let (name, declared) = source.map_or(("", ""), |source| (source.name, source.declared));
        writeln!(f, "\nchain {}\n  {name}: {declared}", chain.name)?;
        let mut lines = Vec::new();
        branches(graph, chain, None, "  ", &mut lines);
        let width = lines.iter().map(|(text, _)| text.chars().count()).max();
        let width = width.unwrap_or(0);
        for (text, line) in lines {
            match place(graph, line) {
                Some(place) => writeln!(f, "{text:width$}  {place}")?,
                None => writeln!(f, "{text}")?,
            }
        }
    }
    if !graph.lookups.is_empty() {
        f.write_str("\nlookups\n")?;
    }
    for lookup in graph.lookups {
        let every = std::time::Duration::from_millis(lookup.refresh_ms);
        writeln!(f, "  {}: {} every {every:?}", lookup.name, lookup.declared)?;
    }
    f.write_str("\nsinks\n")?;
    for sink in graph.sinks {
        write!(f, "  {}: {}", sink.name, sink.declared)?;
        if !sink.key.is_empty() {
            write!(f, " by {}", sink.key)?;
        }
        writeln!(f)?;
    }
    Ok(())
}

/// `src/main.rs:17`, as terminals and editors open it.
fn place(graph: &Graph, line: u32) -> Option<String> {
    (line > 0).then(|| format!("{}:{line}", graph.file))
}

/// The stages behind `upstream`, indented only where a path forks.
fn branches(
    graph: &Graph,
    chain: &ChainNode,
    upstream: Option<usize>,
    indent: &str,
    lines: &mut Vec<Line>,
) {
    let below = behind(chain, upstream);
    if let [(stage, node)] = below[..] {
        lines.push((format!("{indent}.{}", caption(graph, node)), node.line));
        return branches(graph, chain, Some(stage), indent, lines);
    }
    for (index, (stage, node)) in below.iter().enumerate() {
        let is_last = index + 1 == below.len();
        let (joint, rail) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        lines.push((format!("{indent}{joint}{}", caption(graph, node)), node.line));
        branches(graph, chain, Some(*stage), &format!("{indent}{rail}"), lines);
    }
}

fn behind(chain: &ChainNode, upstream: Option<usize>) -> Vec<(usize, &StageNode)> {
    let stages = chain.stages.iter().enumerate();
    stages
        .filter(|(_, node)| node.upstream == upstream)
        .collect()
}

/// What a stage is, near to how it is written: `try_map(price) as total, or_skip`.
fn caption(graph: &Graph, node: &StageNode) -> String {
    let sink = |index: usize| graph.sinks.get(index).map_or("?", |sink| sink.name);
    let fallible = node.policy != Policy::None && node.kind != StageKind::Decode;
    let word = match node.kind {
        StageKind::To(index) => return format!("to({})", sink(index)),
        StageKind::Discard(reason) => return format!("discard({reason:?})"),
        StageKind::Arm | StageKind::Branch => return node.label.to_owned(),
        kind => word(kind),
    };
    let mut text = if fallible { format!("try_{word}") } else { word.to_owned() };
    text.push('(');
    text.push_str(node.operator);
    text.push(')');
    if node.label != word && node.label != node.operator {
        text.push_str(" as ");
        text.push_str(node.label);
    }
    match node.policy {
        Policy::None => {}
        Policy::Skip => text.push_str(", or_skip"),
        Policy::Stop => text.push_str(", or_stop"),
        Policy::DeadLetter(index) => {
            text.push_str(", or_to(");
            text.push_str(sink(index));
            text.push(')');
        }
    }
    text
}

const fn word(kind: StageKind) -> &'static str {
    match kind {
        StageKind::Decode => "decode",
        StageKind::Raw => "raw",
        StageKind::Filter => "filter",
        StageKind::Map => "map",
        StageKind::FilterMap => "filter_map",
        StageKind::FlatMap => "flat_map",
        StageKind::Inspect => "inspect",
        StageKind::Apply => "apply",
        StageKind::Dedup => "dedup",
        StageKind::Sample => "sample",
        StageKind::SampleBy => "sample_by",
        StageKind::Split => "split",
        StageKind::Arm => "arm",
        StageKind::Tee => "tee",
        StageKind::Branch => "branch",
        StageKind::To(_) => "to",
        StageKind::Discard(_) => "discard",
    }
}

/// One edge of the diagrams.
struct Edge {
    from: String,
    to: String,
    is_dead_letter: bool,
}

fn edges(graph: &Graph) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut add = |from: String, to: String, is_dead_letter| {
        edges.push(Edge { from, to, is_dead_letter });
    };
    for (index, chain) in graph.chains.iter().enumerate() {
        for (stage, node) in chain.stages.iter().enumerate() {
            let from = match node.upstream {
                Some(above) => format!("c{index}_{above}"),
                None => format!("source{}", chain.source),
            };
            let own = format!("c{index}_{stage}");
            if let Policy::DeadLetter(sink) = node.policy {
                add(own.clone(), format!("sink{sink}"), true);
            }
            match node.kind {
                StageKind::To(sink) => add(from, format!("sink{sink}"), false),
                _ => add(from, own, false),
            }
        }
    }
    edges
}

/// A stage that is a node of the diagrams.
struct Shown {
    id: String,
    caption: String,
    /// Where it is written; empty if that is not known.
    place: String,
}

/// Every stage that is a node.
fn stages(graph: &Graph) -> impl Iterator<Item = Shown> {
    graph
        .chains
        .iter()
        .enumerate()
        .flat_map(move |(index, chain)| {
            let stages = chain.stages.iter().enumerate();
            let nodes = stages.filter(|(_, node)| !matches!(node.kind, StageKind::To(_)));
            nodes.map(move |(stage, node)| Shown {
                id: format!("c{index}_{stage}"),
                caption: caption(graph, node),
                place: place(graph, node.line).unwrap_or_default(),
            })
        })
}

fn mermaid(graph: &Graph, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str("flowchart LR\n")?;
    for (index, source) in graph.sources.iter().enumerate() {
        let (name, declared) = (source.name, entities(source.declared));
        writeln!(f, "  source{index}[/\"{name}<br/>{declared}\"/]")?;
    }
    for Shown { id, caption, place } in stages(graph) {
        let file = place.rsplit(['/', '\\']).next().unwrap_or_default();
        let below =
            if file.is_empty() { String::new() } else { format!("<br/><small>{file}</small>") };
        writeln!(f, "  {id}[\"{}{below}\"]", entities(&caption))?;
    }
    for (index, sink) in graph.sinks.iter().enumerate() {
        let (name, declared) = (sink.name, entities(sink.declared));
        writeln!(f, "  sink{index}[(\"{name}<br/>{declared}\")]")?;
    }
    for Edge { from, to, is_dead_letter } in edges(graph) {
        let arrow = if is_dead_letter { "-.->" } else { "-->" };
        writeln!(f, "  {from} {arrow} {to}")?;
    }
    Ok(())
}

/// Mermaid's own entity codes for what its quoted labels cannot hold.
fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '&' => out.push_str("#amp;"),
            '"' => out.push_str("#quot;"),
            '#' => out.push_str("#35;"),
            other => out.push(other),
        }
    }
    out
}

fn dot(graph: &Graph, f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "digraph {} {{\n  rankdir=LR;\n  node [shape=box];", Quoted(graph.pipeline))?;
    for (index, source) in graph.sources.iter().enumerate() {
        let label = format!("{}\n{}", source.name, source.declared);
        writeln!(f, "  source{index} [shape=parallelogram, label={}];", Quoted(&label))?;
    }
    for Shown { id, caption, place } in stages(graph) {
        write!(f, "  {id} [label={}", Quoted(&caption))?;
        if !place.is_empty() {
            write!(f, ", tooltip={}", Quoted(&place))?;
        }
        f.write_str("];\n")?;
    }
    for (index, sink) in graph.sinks.iter().enumerate() {
        let label = format!("{}\n{}", sink.name, sink.declared);
        writeln!(f, "  sink{index} [shape=cylinder, label={}];", Quoted(&label))?;
    }
    for Edge { from, to, is_dead_letter } in edges(graph) {
        let style = if is_dead_letter { " [style=dotted]" } else { "" };
        writeln!(f, "  {from} -> {to}{style};")?;
    }
    f.write_str("}\n")
}

/// A DOT string.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for char in self.0.chars() {
            match char {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                other => f.write_char(other)?,
            }
        }
        f.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{SinkNode, SourceNode};

    const fn stage(
        label: &'static str,
        kind: StageKind,
        upstream: Option<usize>,
        policy: Policy,
        operator: &'static str,
    ) -> StageNode {
        StageNode { label, kind, upstream, policy, operator, line: 1 }
    }

    static GRAPH: Graph = Graph {
        pipeline: "orders",
        file: "src/main.rs",
        sources: &[SourceNode { name: "events", declared: "Kafka<Json<Order<'_>>>" }],
        sinks: &[
            SinkNode { name: "lines", declared: "ClickHouse<Line<'_>>", key: "order_id" },
            SinkNode { name: "rejects", declared: "File<DeadLetter<'_>>", key: "" },
        ],
        lookups: &[],
        chains: &[ChainNode {
            name: "bill",
            source: 0,
            stages: &[
                stage("decode", StageKind::Decode, None, Policy::DeadLetter(1), ""),
                stage("in_stock", StageKind::Filter, Some(0), Policy::None, "in_stock"),
                stage("split", StageKind::Split, Some(1), Policy::None, "|e| e.kind"),
                stage("Placed", StageKind::Arm, Some(2), Policy::None, ""),
                stage("total", StageKind::Map, Some(3), Policy::Skip, "price"),
                stage("lines", StageKind::To(0), Some(4), Policy::None, ""),
                stage("Ping", StageKind::Arm, Some(2), Policy::None, ""),
                stage("heartbeat", StageKind::Discard("heartbeat"), Some(6), Policy::None, ""),
            ],
        }],
    };

    #[test]
    fn the_text_reads_like_the_chain() {
        let expected = "\
orders

chain bill
  events: Kafka<Json<Order<'_>>>
  .decode(), or_to(rejects)             src/main.rs:1
  .filter(in_stock)                     src/main.rs:1
  .split(|e| e.kind)                    src/main.rs:1
  ├─ Placed                             src/main.rs:1
  │  .try_map(price) as total, or_skip  src/main.rs:1
  │  .to(lines)                         src/main.rs:1
  └─ Ping                               src/main.rs:1
     .discard(\"heartbeat\")              src/main.rs:1

sinks
  lines: ClickHouse<Line<'_>> by order_id
  rejects: File<DeadLetter<'_>>
";
        assert_eq!(GRAPH.render(Style::Text).to_string(), expected);
    }

    #[test]
    fn mermaid_escapes_what_its_labels_cannot_hold() {
        let text = GRAPH.render(Style::Mermaid).to_string();
        for line in [
            "flowchart LR",
            "  source0[/\"events<br/>Kafka#lt;Json#lt;Order#lt;'_#gt;#gt;#gt;\"/]",
            "  c0_7[\"discard(#quot;heartbeat#quot;)<br/><small>main.rs:1</small>\"]",
            "  sink0[(\"lines<br/>ClickHouse#lt;Line#lt;'_#gt;#gt;\")]",
            "  source0 --> c0_0",
            "  c0_0 -.-> sink1",
            "  c0_4 --> sink0",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
        assert!(!text.contains("c0_5"), "a `to` is an edge, no node: {text}");
    }

    #[test]
    fn dot_quotes_its_labels() {
        let text = GRAPH.render(Style::Dot).to_string();
        for line in [
            "digraph \"orders\" {",
            "  c0_7 [label=\"discard(\\\"heartbeat\\\")\", tooltip=\"src/main.rs:1\"];",
            "  sink0 [shape=cylinder, label=\"lines\\nClickHouse<Line<'_>>\"];",
            "  c0_0 -> sink1 [style=dotted];",
            "}",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
    }
}
