//! Numbers the nodes of a chain and gives each its label.
//!
//! Pure. Nodes stand in the order of the tree, each behind its upstream. A label is given by
//! `.named(..)`, by `#[op(label = ..)]` or by the operator's name; what has none of these is
//! called after its stage and numbered until it is free. Given labels are never changed: two that
//! are equal are a finding (P015).

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable
)]

use proc_macro2::{Ident, Span};
use syn::{Attribute, Pat};

use crate::ast::item::OpOptions;
use crate::model::{
    Chain, End, Kind, Node, NodeKind, NodePolicy, Operator, Origin, Pipeline, PolicyKind, Stage,
};
use crate::names::{self, Names};

/// Fills in the nodes of `chain` and the numbers that point at them.
pub(crate) fn number(chain: &mut Chain, pipeline: &Pipeline) {
    let root = chain
        .paths
        .iter()
        .position(|path| matches!(path.origin, Origin::Source(_)));
    let Some(root) = root else { return };
    let mut seen = vec![false; chain.paths.len()];
    let mut walk = Walk { pipeline, nodes: Vec::new(), seen: &mut seen };
    walk.path(chain, root, None, &[]);
    chain.nodes = walk.nodes;
    free(&mut chain.nodes);
}

struct Walk<'a> {
    pipeline: &'a Pipeline,
    nodes: Vec<Node>,
    seen: &'a mut [bool],
}

/// The parts of a node that differ.
struct Draft {
    label: String,
    given: Option<Span>,
    kind: NodeKind,
    policy: NodePolicy,
    operator: String,
    foreign: bool,
    at: Span,
}

impl Walk<'_> {
    fn path(&mut self, chain: &mut Chain, index: usize, from: Option<usize>, cfgs: &[Attribute]) {
        match self.seen.get_mut(index) {
            Some(seen) if !*seen => *seen = true,
            _ => return,
        }
        let mut upstream = from;
        let Some(path) = chain.paths.get_mut(index) else { return };
        for stage in &mut path.stages {
            stage.node = self.push(draft_of(stage, self.pipeline), upstream, cfgs);
            upstream = Some(stage.node);
        }
        match &mut path.end {
            End::Open => {}
            End::To { token, sink, index, node } => {
                let kind = NodeKind::To(index.unwrap_or_default());
                let label = format!("to_{}", names::plain(sink));
                *node = self.push(Draft::named(label, kind, token.span()), upstream, cfgs);
            }
            End::Discard { token, reason, node } => {
                let kind = NodeKind::Discard(reason.clone());
                let draft = Draft::named("discard".to_owned(), kind, token.span());
                *node = self.push(draft, upstream, cfgs);
            }
            End::Let(stream) => {
                let stream = *stream;
                self.stream(chain, stream, upstream, cfgs);
            }
            End::Tee { token, branches, node, .. } => {
                let draft = Draft::named("tee".to_owned(), NodeKind::Tee, token.span());
                *node = self.push(draft, upstream, cfgs);
                let tee = Some(*node);
                let branches = branches.clone();
                let mut numbers = Vec::new();
                for stream in branches {
                    let Some(name) = chain.streams.get(stream).map(|stream| stream.name.clone())
                    else {
                        continue;
                    };
                    let label = names::plain(&name);
                    let draft = Draft::named(label, NodeKind::Branch, name.span());
                    let branch = self.push(draft, tee, cfgs);
                    numbers.push(branch);
                    self.stream(chain, stream, Some(branch), cfgs);
                }
                if let Some(path) = chain.paths.get_mut(index)
                    && let End::Tee { branch_nodes, .. } = &mut path.end
                {
                    *branch_nodes = numbers;
                }
            }
            End::Split(split) => {
                let label = split.token.to_string();
                let mut draft = Draft::named(label, NodeKind::Split, split.token.span());
                draft.operator = split.by.as_ref().map(crate::text_of).unwrap_or_default();
                split.node = self.push(draft, upstream, cfgs);
                let node = Some(split.node);
                let arms: Vec<(usize, String, Span, Vec<Attribute>)> = split
                    .arms
                    .iter()
                    .map(|arm| {
                        let mut under = cfgs.to_vec();
                        under.extend(crate::ast::cfgs(&arm.attrs));
                        let at = crate::ast::first_span(&arm.pat);
                        (arm.stream, arm_label(&arm.pat), at, under)
                    })
                    .collect();
                let mut numbers = Vec::new();
                for (stream, label, at, under) in arms {
                    let arm = self.push(Draft::named(label, NodeKind::Arm, at), node, &under);
                    numbers.push(arm);
                    self.stream(chain, stream, Some(arm), &under);
                }
                if let Some(path) = chain.paths.get_mut(index)
                    && let End::Split(split) = &mut path.end
                {
                    for (arm, number) in split.arms.iter_mut().zip(numbers) {
                        arm.node = number;
                    }
                }
            }
        }
    }

    /// Goes on with the path that uses `stream`.
    fn stream(
        &mut self,
        chain: &mut Chain,
        stream: usize,
        from: Option<usize>,
        cfgs: &[Attribute],
    ) {
        let path = chain
            .streams
            .get(stream)
            .and_then(|stream| stream.uses.first())
            .map(|first| first.path);
        if let Some(path) = path {
            self.path(chain, path, from, cfgs);
        }
    }

    fn push(&mut self, draft: Draft, upstream: Option<usize>, cfgs: &[Attribute]) -> usize {
        self.nodes.push(Node {
            label: draft.label,
            given: draft.given,
            upstream,
            kind: draft.kind,
            policy: draft.policy,
            operator: draft.operator,
            foreign: draft.foreign,
            line: draft.at.start().line,
            cfgs: cfgs.to_vec(),
        });
        self.nodes.len() - 1
    }
}

impl Draft {
    fn named(label: String, kind: NodeKind, at: Span) -> Self {
        Self {
            label,
            given: None,
            kind,
            policy: NodePolicy::None,
            operator: String::new(),
            foreign: false,
            at,
        }
    }
}

fn draft_of(stage: &Stage, pipeline: &Pipeline) -> Draft {
    let (label, given) = label_of(stage, pipeline);
    Draft {
        label,
        given,
        kind: NodeKind::Stage(stage.kind),
        policy: match stage.policy.as_ref().map(|policy| &policy.kind) {
            None => NodePolicy::None,
            Some(PolicyKind::Skip) => NodePolicy::Skip,
            Some(PolicyKind::Stop) => NodePolicy::Stop,
            Some(PolicyKind::To(_, sink)) => NodePolicy::DeadLetter(sink.unwrap_or_default()),
        },
        operator: written(stage),
        foreign: matches!(&stage.operator, Some(Operator::Path(path)) if path.path.get_ident().is_some()),
        at: stage.token.span(),
    }
}

/// What stands in the stage's brackets.
fn written(stage: &Stage) -> String {
    let operator = stage.operator.as_ref().map(crate::text_of);
    let made = stage.made.as_ref().map(|made| match &made.init {
        Some(init) => crate::text::of(init),
        None => crate::text::of(&made.ty),
    });
    let numbers = stage.numbers.iter().map(crate::text::of);
    let all: Vec<String> = operator.into_iter().chain(made).chain(numbers).collect();
    all.join(", ")
}

/// The label and, if the user gave it, where.
fn label_of(stage: &Stage, pipeline: &Pipeline) -> (String, Option<Span>) {
    if let Some(text) = &stage.named {
        return (text.value(), Some(text.span()));
    }
    let kind = match stage.kind {
        Kind::DecodeWith => "decode".to_owned(),
        _ => stage.token.to_string(),
    };
    if let Some(made) = &stage.made {
        let label = made.options.label.as_ref().map(syn::LitStr::value);
        let last = made.ty.path.segments.last();
        let name = || last.map_or_else(String::new, |last| names::snake(&last.ident.to_string()));
        return (label.unwrap_or_else(name), Some(made.span()));
    }
    match &stage.operator {
        Some(Operator::Closure(_, OpOptions { label: Some(label), .. })) => {
            (label.value(), Some(label.span()))
        }
        Some(operator @ (Operator::Function(..) | Operator::Path(_)))
            if !matches!(stage.kind, Kind::DecodeWith | Kind::Dedup | Kind::SampleBy) =>
        {
            let label = pipeline
                .function(operator)
                .and_then(|function| function.options.label.as_ref());
            let name = || match operator {
                Operator::Function(_, path) | Operator::Path(path) => path
                    .path
                    .segments
                    .last()
                    .map_or_else(String::new, |last| names::snake(&last.ident.to_string())),
                Operator::Closure(..) => String::new(),
            };
            (label.map_or_else(name, syn::LitStr::value), Some(operator.span()))
        }
        _ => (kind, None),
    }
}

fn arm_label(pat: &Pat) -> String {
    let last = |path: &syn::Path| path.segments.last().map(|last| last.ident.clone());
    let name: Option<Ident> = match pat {
        Pat::Path(pat) => last(&pat.path),
        Pat::TupleStruct(pat) => last(&pat.path),
        Pat::Struct(pat) => last(&pat.path),
        Pat::Ident(pat) => Some(pat.ident.clone()),
        Pat::Paren(pat) => return arm_label(&pat.pat),
        Pat::Wild(_) => return "other".to_owned(),
        Pat::Or(pat) => {
            let labels: Vec<String> = pat.cases.iter().map(arm_label).collect();
            return labels.join("_or_");
        }
        _ => None,
    };
    let text = name.map_or_else(|| crate::text::of(pat), |name| name.to_string());
    names::snake(&text).chars().take(40).collect()
}

/// Numbers the labels that nobody gave until each is free.
///
/// A closure is counted among all stages of its kind, so that `filter_2` is the second filter.
fn free(nodes: &mut [Node]) {
    let taken = nodes
        .iter()
        .filter(|node| node.given.is_some())
        .map(|node| node.label.clone())
        .collect();
    let mut free = Names::beside(taken);
    let mut kinds: Vec<(Kind, u32)> = Vec::new();
    for node in nodes {
        let mut wanted = node.label.clone();
        if let NodeKind::Stage(kind) = node.kind {
            let count = match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, count)) => {
                    *count += 1;
                    *count
                }
                None => {
                    kinds.push((kind, 1));
                    1
                }
            };
            if count > 1 {
                wanted = format!("{wanted}_{count}");
            }
        }
        if node.given.is_none() {
            node.label = free.fresh(&wanted);
        }
    }
}
