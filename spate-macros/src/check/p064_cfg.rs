//! P064: a cfg'd sink stands only in a cfg'd path.
//!
//! Where the `cfg` is off the sink is not there, and what would be sent to it has no place to go.
//! Whether one `cfg` implies another only cargo knows, so a path that has any is rustc's to judge.

use proc_macro2::Ident;
use quote::ToTokens as _;

use crate::ast::item::Declared;
use crate::model::{End, Origin, Path, Pipeline, PolicyKind};
use crate::report::{Report, Rule};

const CFG: Rule = Rule { code: "P064", help: "" };

/// Reports each use of a source or a sink under a `cfg` on a path that always exists, at its name.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for path in pipeline.paths().filter(|path| path.cfgs.is_empty()) {
        if let Origin::Source(index) = path.origin
            && let Some(source) = pipeline.sources.get(index)
        {
            push(&path.head, "source", source, &pipeline.sources, report);
        }
        for (name, index) in sinks(path) {
            if let Some(sink) = pipeline.sinks.get(index) {
                push(name, "sink", sink, &pipeline.sinks, report);
            }
        }
    }
}

/// The sinks a path names, in order.
fn sinks(path: &Path) -> Vec<(&Ident, usize)> {
    let letters = path
        .stages
        .iter()
        .filter_map(|stage| match &stage.policy.as_ref()?.kind {
            PolicyKind::To(sink, index) => Some((sink, (*index)?)),
            _ => None,
        });
    let end = match &path.end {
        End::To { sink, index: Some(index), .. } => Some((sink, *index)),
        _ => None,
    };
    letters.chain(end).collect()
}

fn push(name: &Ident, kind: &str, declared: &Declared, all: &[Declared], report: &mut Report) {
    // One of several with this name: together they may always be there.
    let others = all
        .iter()
        .filter(|other| other.ident == declared.ident)
        .count()
        > 1;
    let Some(cfg) = declared.cfgs.first() else { return };
    if others {
        return;
    }
    let cfg = crate::text::of(cfg.meta.to_token_stream());
    report.push_with(
        name.span(),
        &CFG,
        format!("{kind} `{name}` is there only under `#[{cfg}]`, this path always is"),
        format!("put `#[{cfg}]` on the chain or on an arm of a split, or take it off `{name}`"),
    );
}
