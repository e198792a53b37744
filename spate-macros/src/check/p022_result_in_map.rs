//! P022: what returns a `Result` stands in a `try_` stage.

use super::signature::{Shape, answered, returned};
use crate::model::{Kind, Operator, Pipeline};
use crate::report::{Report, Rule};

const RESULT_IN_MAP: Rule = Rule { code: "P022", help: "" };

/// Reports each infallible stage whose operator returns a `Result`, at the operator.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        for path in &chain.paths {
            let report = &mut *report.within(&path.cfgs);
            for stage in &path.stages {
                // What a filter answers is P038; what an inspection returns nobody looks at.
                let maps = matches!(stage.kind, Kind::Map | Kind::FilterMap | Kind::FlatMap);
                let Some(operator) = &stage.operator else { continue };
                if !maps || stage.fallible {
                    continue;
                }
                let shape = match operator {
                    Operator::Closure(closure, _) => answered(closure, &pipeline.scope),
                    _ => pipeline
                        .function(operator)
                        .map_or(Shape::Unknown, |function| returned(function, &pipeline.scope)),
                };
                if shape == Shape::Result {
                    let (stage, name) = (&stage.token, operator.name());
                    let (what, call) = match operator {
                        Operator::Closure(..) => (name, "..".to_owned()),
                        _ => (format!("`{name}`"), name),
                    };
                    report.push_with(
                        operator.span(),
                        &RESULT_IN_MAP,
                        format!(
                            "{what} returns `Result`, `{stage}` would pass it on as the record"
                        ),
                        format!("write `.try_{stage}({call})` and a policy, such as `.or_skip()`"),
                    );
                }
            }
        }
    }
}
