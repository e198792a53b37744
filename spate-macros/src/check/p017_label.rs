//! P017: labels are valid and free.
//!
//! A label becomes a value of the metrics, a word in logs and the `stage` of a dead letter, so that
//! queries and alerts are written with it.

use proc_macro2::Span;

use crate::ast::item::OpOptions;
use crate::model::{End, Operator, Pipeline, Stage};
use crate::names;
use crate::report::{Report, Rule};

const LABEL: Rule = Rule { code: "P017", help: "" };

/// What the pipeline calls its own nodes.
const RESERVED: [&str; 5] = ["decode", "discard", "raw", "split", "tee"];

/// Reports each label that a query could not be written with, and each that another node has by
/// itself, where the user gave it.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        if let Some(name) = &chain.name {
            let report = &mut *report.within(&chain.cfgs);
            valid(&names::plain(name), name.span(), report);
        }
        for path in &chain.paths {
            let report = &mut *report.within(&path.cfgs);
            for stage in &path.stages {
                let Some((label, span)) = given(stage, pipeline) else { continue };
                if valid(&label, span, report) {
                    free(&label, span, stage, pipeline, report);
                }
            }
            let End::Split(split) = &path.end else { continue };
            if let Some(Operator::Closure(_, OpOptions { label: Some(label), .. })) = &split.by {
                valid(&label.value(), label.span(), report);
            }
        }
    }
}

/// The label that the user wrote as a text.
fn given(stage: &Stage, pipeline: &Pipeline) -> Option<(String, Span)> {
    let of_operator = || match stage.operator.as_ref()? {
        Operator::Closure(_, options) => options.label.as_ref(),
        operator => pipeline.function(operator)?.options.label.as_ref(),
    };
    let label = stage.named.as_ref().or_else(of_operator)?;
    Some((label.value(), label.span()))
}

fn valid(label: &str, span: Span, report: &mut Report) -> bool {
    let letters = label
        .chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let fits = letters && label.starts_with(|c: char| c.is_ascii_lowercase()) && label.len() <= 64;
    if !fits {
        let mut near = names::snake(label);
        near.truncate(64);
        report.push_with(
            span,
            &LABEL,
            format!("`{label}` is no metric label"),
            format!("write `{near}`: a letter, then letters, digits and `_`, all lower-case"),
        );
    }
    fits
}

fn free(label: &str, span: Span, stage: &Stage, pipeline: &Pipeline, report: &mut Report) {
    let own = stage.token == label;
    let end = label.strip_prefix("to_").is_some_and(|sink| {
        pipeline
            .sinks
            .iter()
            .any(|known| names::plain(&known.ident) == sink)
    });
    if (RESERVED.contains(&label) && !own) || end {
        report.push_with(
            span,
            &LABEL,
            format!("the label `{label}` is the pipeline's own"),
            "take another; reserved are `decode`, `discard`, `raw`, `split`, `tee`, and `to_` with \
             the name of a sink",
        );
    }
}
