//! P038: a filter answers `bool`.
//!
//! Certain cases are reported here; a closure's answer has a bound (`op::Answer`), and a path's is
//! rustc's to judge.

use super::signature::{Shape, answered, returned};
use crate::model::{Kind, Operator, Pipeline};
use crate::report::{Report, Rule};

const FILTER_ANSWER: Rule =
    Rule { code: "P038", help: "return `true` to keep the record, `false` to drop it" };

/// Reports each filter whose operator returns no `bool` for certain, at the operator.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        for path in &chain.paths {
            let report = &mut *report.within(&path.cfgs);
            for stage in &path.stages {
                let Some(operator) = &stage.operator else { continue };
                if stage.kind != Kind::Filter || stage.fallible {
                    continue;
                }
                let function = pipeline.function(operator);
                let shape = match operator {
                    Operator::Closure(closure, _) => answered(closure, &pipeline.scope),
                    _ => function
                        .map_or(Shape::Unknown, |function| returned(function, &pipeline.scope)),
                };
                if !matches!(shape, Shape::Result | Shape::Option | Shape::Other) {
                    continue;
                }
                let name = operator.name();
                let what = if function.is_some() { format!("`{name}`") } else { name.clone() };
                let gives = match (function.map(|function| function.returns()), shape) {
                    (Some(None), _) => "nothing".to_owned(),
                    (Some(Some(ty)), _) => format!("`{}`", crate::text::of(ty)),
                    (None, Shape::Result) => "`Result`".to_owned(),
                    (None, _) => "`Option`".to_owned(),
                };
                let message = format!("{what} returns {gives}, a filter answers `bool`");
                let call = if function.is_some() { name } else { "..".to_owned() };
                match shape {
                    Shape::Result => report.push_with(
                        operator.span(),
                        &FILTER_ANSWER,
                        message,
                        format!("write `.try_filter({call})` and a policy"),
                    ),
                    Shape::Option => report.push_with(
                        operator.span(),
                        &FILTER_ANSWER,
                        message,
                        format!("write `.filter_map({call})`, or return `bool`"),
                    ),
                    _ => report.push(operator.span(), &FILTER_ANSWER, message),
                }
            }
        }
    }
}
