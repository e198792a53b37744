//! P005: stages exist, and stand where they can.
//!
//! `lower` reports what is no stage and what has the wrong arguments, because the model has no
//! place for it; this file holds the rule's texts and checks where decoding stands.

use proc_macro2::Ident;

use crate::ast::tolerant::MISSING;
use crate::model::{Kind, Origin, Pipeline};
use crate::names;
use crate::report::{Report, Rule};

/// For `lower`, which reports it where it reads the stages.
pub(crate) const P005: Rule = Rule { code: "P005", help: "" };

const STAGES: [&str; 24] = [
    "decode",
    "raw",
    "filter",
    "map",
    "filter_map",
    "flat_map",
    "inspect",
    "try_filter",
    "try_map",
    "try_filter_map",
    "try_flat_map",
    "apply",
    "dedup",
    "sample",
    "sample_by",
    "tee",
    "split",
    "split_on",
    "named",
    "to",
    "discard",
    "or_skip",
    "or_stop",
    "or_to",
];

/// Stages by the names that other libraries give them.
const ELSEWHERE: [(&str, &str); 12] = [
    ("for_each", "inspect"),
    ("then", "map"),
    ("and_then", "try_map"),
    ("sink", "to"),
    ("drop", "discard"),
    ("branch", "split"),
    ("parse", "decode"),
    ("flatten", "flat_map"),
    ("distinct", "dedup"),
    ("unique", "dedup"),
    ("scan", "apply"),
    ("process", "apply"),
];

/// Reports a stage that does not exist, at its name.
pub(crate) fn report(stage: &Ident, report: &mut Report) {
    let name = stage.to_string();
    let same = ELSEWHERE
        .iter()
        .find(|(theirs, _)| *theirs == name)
        .map(|&(_, ours)| ours);
    let help = same.or_else(|| names::nearest(&name, STAGES)).map_or_else(
        || {
            "the stages are `decode`, `raw`, `filter`, `map`, `filter_map`, `flat_map`, \
                `inspect`, their `try_` forms, `apply`, `dedup`, `sample`, `sample_by`, `tee`, \
                `split` and `split_on`"
                .to_owned()
        },
        |near| format!("did you mean `{near}`?"),
    );
    report.push_with(stage.span(), &P005, format!("no stage named `{name}`"), help);
}

/// Reports a stage that is written without brackets, at its name.
pub(crate) fn report_bare(stage: &Ident, report: &mut Report) {
    let name = stage.to_string();
    if name == MISSING {
        // The dot before it is a finding already.
        return;
    }
    let near = names::nearest(&name, STAGES).or_else(|| {
        let mut begins = STAGES.iter().filter(|known| known.starts_with(&name));
        begins.next().copied().filter(|_| begins.next().is_none())
    });
    let help = match near {
        Some(near) => format!("write `.{near}(..)`"),
        None => "write the name of a stage and its brackets, as in `.filter(in_stock)`".to_owned(),
    };
    report.push_with(stage.span(), &P005, format!("`.{name}` has no brackets"), help);
}

/// Reports a source that is not decoded first, and decoding that stands elsewhere.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        if chain.holes {
            continue;
        }
        for path in &chain.paths {
            let report = &mut *report.within(&path.cfgs);
            let decodes = |kind: Kind| matches!(kind, Kind::Decode | Kind::DecodeWith | Kind::Raw);
            let from_source = matches!(path.origin, Origin::Source(_));
            let first = path.stages.first();
            if from_source && !first.is_some_and(|stage| decodes(stage.kind)) {
                let head = &path.head;
                report.push_with(
                    head.span(),
                    &P005,
                    format!("`{head}` yields payloads, nothing decodes them"),
                    format!("write `{head}.decode()`, or `{head}.raw()` to take them as they are"),
                );
            }
            let misplaced = path
                .stages
                .iter()
                .skip(usize::from(from_source))
                .filter(|stage| decodes(stage.kind) && path.origin != Origin::Unknown);
            for stage in misplaced {
                let token = &stage.token;
                report.push_with(
                    token.span(),
                    &P005,
                    format!("`{token}` stands directly behind a source"),
                    "remove it: these records are decoded already",
                );
            }
        }
    }
}
