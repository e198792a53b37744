//! The chains as a text, for the module's documentation.
//!
//! Line for line what `Graph::render` writes, without the places in the file: rustdoc links to
//! those. A test holds one against the other. What stands under a `cfg` is shown with it.

use crate::model::{Chain, Node, NodeKind, NodePolicy, Origin, Pipeline};
use crate::names;

/// The lines of all chains and sinks.
pub(crate) fn lines(pipeline: &Pipeline) -> Vec<String> {
    let mut lines = Vec::new();
    for chain in &pipeline.chains {
        let source = chain.paths.iter().find_map(|path| match path.origin {
            Origin::Source(source) => pipeline.sources.get(source),
            _ => None,
        });
        let cfgs = under(&chain.cfgs);
        lines.push(format!("chain {}{cfgs}", names::plain(pipeline.chain_name(chain))));
        if let Some(source) = source {
            let declared = crate::text::of(&source.connector);
            lines.push(format!("  {}: {declared}", names::plain(&source.ident)));
        }
        branches(pipeline, chain, None, "  ", &mut lines);
        lines.push(String::new());
    }
    lines.push("sinks".to_owned());
    for sink in &pipeline.sinks {
        let declared = crate::text::of(&sink.connector);
        let key = sink
            .key
            .as_ref()
            .map(|key| format!(" by {}", crate::text::of(key)));
        let (name, cfgs) = (names::plain(&sink.ident), under(&sink.cfgs));
        lines.push(format!("  {name}: {declared}{}{cfgs}", key.unwrap_or_default()));
    }
    lines
}

/// The stages behind `upstream`, indented only where a path forks.
fn branches(
    pipeline: &Pipeline,
    chain: &Chain,
    upstream: Option<usize>,
    indent: &str,
    lines: &mut Vec<String>,
) {
    let stages = chain.nodes.iter().enumerate();
    let below: Vec<_> = stages
        .filter(|(_, node)| node.upstream == upstream)
        .collect();
    if let [(stage, node)] = below[..] {
        lines.push(format!("{indent}.{}", caption(pipeline, node)));
        return branches(pipeline, chain, Some(stage), indent, lines);
    }
    for (index, (stage, node)) in below.iter().enumerate() {
        let is_last = index + 1 == below.len();
        let (joint, rail) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        lines.push(format!("{indent}{joint}{}", caption(pipeline, node)));
        branches(pipeline, chain, Some(*stage), &format!("{indent}{rail}"), lines);
    }
}

/// What a stage is, near to how it is written.
fn caption(pipeline: &Pipeline, node: &Node) -> String {
    let sink = |index: usize| {
        let sink = pipeline.sinks.get(index);
        sink.map_or_else(|| "?".to_owned(), |sink| names::plain(&sink.ident))
    };
    let cfgs = under(&node.cfgs);
    let word = match &node.kind {
        NodeKind::To(index) => return format!("to({}){cfgs}", sink(*index)),
        NodeKind::Discard(reason) => return format!("discard({reason:?}){cfgs}"),
        NodeKind::Arm | NodeKind::Branch => return format!("{}{cfgs}", node.label),
        NodeKind::Stage(kind) => kind.word(),
        NodeKind::Split => "split",
        NodeKind::Tee => "tee",
    };
    let fallible = !matches!(node.policy, NodePolicy::None) && word != "decode";
    let begin = if fallible { "try_" } else { "" };
    let named = if node.label == word || node.label == node.operator {
        String::new()
    } else {
        format!(" as {}", node.label)
    };
    let policy = match node.policy {
        NodePolicy::None => String::new(),
        NodePolicy::Skip => ", or_skip".to_owned(),
        NodePolicy::Stop => ", or_stop".to_owned(),
        NodePolicy::DeadLetter(index) => format!(", or_to({})", sink(index)),
    };
    format!("{begin}{word}({}){named}{policy}{cfgs}", node.operator)
}

/// The conditions something stands under, as they are written.
fn under(cfgs: &[syn::Attribute]) -> String {
    cfgs.iter()
        .map(|cfg| format!("  {}", crate::text::of(cfg)))
        .collect()
}
