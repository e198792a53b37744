//! P066: attributes are spelt right and stand where they belong, and what a module must have is
//! there.
//!
//! Most of it is reported where the module is read (`ast`).

use std::collections::BTreeSet;

use crate::ast::item::FanOut;
use crate::model::{End, Kind, Operator, Pipeline};
use crate::report::{Report, Rule};

/// For `ast`, which reports it at the token that is not of the grammar.
pub(crate) const P066: Rule = Rule { code: "P066", help: "" };

/// Reports a pipeline without a chain, at its name.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    if pipeline.chains.is_empty() && !pipeline.holes {
        report.push_with(
            pipeline.ident.span(),
            &P066,
            format!("pipeline `{}` has no chain", pipeline.ident),
            "write `chain!(name, { source.decode().or_stop().to(sink) });` in it",
        );
    }
}

/// Reports each `fan_out` of an operator that gives no number of records, at the option.
///
/// A function that fans out in one stage may stand in others.
pub(super) fn idle_fan_out(pipeline: &Pipeline, report: &mut Report) {
    let fans_out: BTreeSet<usize> = pipeline
        .stages()
        .filter(|stage| stage.kind.fans_out())
        .filter_map(|stage| function(stage.operator.as_ref()))
        .collect();
    let mut told = BTreeSet::new();
    for path in pipeline.paths() {
        let report = &mut *report.within(&path.cfgs);
        for stage in &path.stages {
            let Some(fan_out) = stage.fan_out.as_ref().filter(|_| !stage.kind.fans_out()) else {
                continue;
            };
            let of = function(stage.operator.as_ref());
            if of.is_none_or(|of| !fans_out.contains(&of) && told.insert(of)) {
                idle(fan_out, &stage.token, matches!(stage.kind, Kind::Map), report);
            }
        }
        let End::Split(split) = &path.end else { continue };
        let fan_out = match &split.by {
            Some(Operator::Closure(_, options)) => options.fan_out.as_deref(),
            Some(by) => pipeline
                .function(by)
                .and_then(|function| function.options.fan_out.as_deref()),
            None => None,
        };
        let Some(fan_out) = fan_out else { continue };
        let of = function(split.by.as_ref());
        if of.is_none_or(|of| !fans_out.contains(&of) && told.insert(of)) {
            idle(fan_out, &split.token, false, report);
        }
    }
}

fn function(operator: Option<&Operator>) -> Option<usize> {
    match operator {
        Some(Operator::Function(index, _)) => Some(*index),
        _ => None,
    }
}

fn idle(fan_out: &FanOut, stage: &proc_macro2::Ident, is_map: bool, report: &mut Report) {
    let help = if is_map {
        "remove it, or use the operator in `.flat_map(..)`"
    } else {
        "remove it: it limits what `.flat_map(..)` and `.apply(..)` give for one record"
    };
    let message = format!("`fan_out` means nothing on `.{stage}`");
    report.push_with(fan_out.key.span(), &P066, message, help);
}
