//! P050: what is written as a size or a part is one.
//!
//! Seen here in numbers as they are written; a constant is held against the same by rustc, in
//! `op::checked_size`, `op::checked_rate` and `op::checked_fan_out`, and the YAML by the runtime's
//! checker.

use std::collections::BTreeSet;

use syn::{Expr, Lit};

use crate::model::{Kind, Operator, Pipeline};
use crate::report::{Report, Rule};

const ZERO: Rule = Rule { code: "P050", help: "" };

/// Reports each memory of no keys or too many, each sample of nothing or of more than there is, and
/// each limit of nothing, at its number.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    let mut told = BTreeSet::new();
    for path in pipeline.paths() {
        let report = &mut *report.within(&path.cfgs);
        for stage in &path.stages {
            let name = &stage.token;
            // A function's limit is one, however many stages it stands in.
            let is_new = |told: &mut BTreeSet<usize>| match &stage.operator {
                Some(Operator::Function(index, _)) => told.insert(*index),
                _ => true,
            };
            if let Some(fan_out) = stage.limit()
                && written(&fan_out.limit) == Some(0)
                && is_new(&mut told)
            {
                report.push_with(
                    crate::ast::first_span(&fan_out.limit),
                    &ZERO,
                    format!("`{name}` may give nothing"),
                    "say how many records it gives for one at most, such as `64`",
                );
            }
            let numbers: Vec<Option<u64>> = stage.numbers.iter().map(written).collect();
            let (index, message, help) = match (stage.kind, numbers.as_slice()) {
                (Kind::Dedup, [Some(0)]) => (
                    0,
                    format!("`{name}` remembers nothing"),
                    "say how many keys it remembers, such as `65_536`",
                ),
                (Kind::Dedup, [Some(size)]) if *size >= 1 << 31 => (
                    0,
                    format!("`{name}` remembers more than 2^31 keys"),
                    "take less: a lane keeps 24 to 32 bytes for each",
                ),
                (Kind::Sample | Kind::SampleBy, [Some(0), _]) => (
                    0,
                    format!("`{name}` keeps nothing"),
                    "write `.discard(\"reason\")` to drop records on purpose",
                ),
                (Kind::Sample | Kind::SampleBy, [_, Some(0)]) => {
                    (1, format!("`{name}` is a part of nothing"), "one in a hundred is `1, 100`")
                }
                (Kind::Sample | Kind::SampleBy, [Some(n), Some(d)]) if n > d => (
                    0,
                    format!("`{name}` keeps {n} of {d}, more than there is"),
                    "one in a hundred is `1, 100`",
                ),
                _ => continue,
            };
            let Some(number) = stage.numbers.get(index) else { continue };
            report.push_with(crate::ast::first_span(number), &ZERO, message, help);
        }
    }
}

fn written(number: &Expr) -> Option<u64> {
    match number {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}
