//! P002: a sink that a path names is declared.

use proc_macro2::Ident;

use crate::model::{End, Pipeline, PolicyKind};
use crate::names;
use crate::report::{Report, Rule};

const UNKNOWN_SINK: Rule = Rule { code: "P002", help: "" };

/// Reports each `.to(..)` and `.or_to(..)` whose sink is not declared, at the name.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    if pipeline.holes {
        return;
    }
    for chain in &pipeline.chains {
        for path in &chain.paths {
            let report = &mut *report.within(&path.cfgs);
            for stage in &path.stages {
                if let Some(policy) = &stage.policy
                    && let PolicyKind::To(sink, None) = &policy.kind
                {
                    push(pipeline, sink, report);
                }
            }
            if let End::To { sink, index: None, .. } = &path.end {
                push(pipeline, sink, report);
            }
        }
    }
}

fn push(pipeline: &Pipeline, sink: &Ident, report: &mut Report) {
    let declared = pipeline.sink_names();
    let help = if declared.is_empty() {
        format!("declare it: `#[sink] fn {sink}() -> ClickHouse<Line<'_>>;`")
    } else {
        names::suggestion(&sink.to_string(), &declared, "declared sinks")
    };
    let message = format!("sink `{sink}` is not declared in `{}`", pipeline.ident);
    report.push_with(sink.span(), &UNKNOWN_SINK, message, help);
}
