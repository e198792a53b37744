//! P023: what returns an `Option` stands in a `filter_map`.

use super::signature::{Shape, answered, returned};
use crate::model::{Kind, Operator, Pipeline};
use crate::report::{Report, Rule};

const OPTION_IN_MAP: Rule = Rule { code: "P023", help: "" };

/// Reports each `map` whose operator returns an `Option`, at the operator.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        for path in &chain.paths {
            let report = &mut *report.within(&path.cfgs);
            for stage in &path.stages {
                let Some(operator) = &stage.operator else { continue };
                if stage.kind != Kind::Map || stage.fallible {
                    continue;
                }
                let shape = match operator {
                    Operator::Closure(closure, _) => answered(closure, &pipeline.scope),
                    _ => pipeline
                        .function(operator)
                        .map_or(Shape::Unknown, |function| returned(function, &pipeline.scope)),
                };
                if shape == Shape::Option {
                    let name = operator.name();
                    let (what, call) = match operator {
                        Operator::Closure(..) => (name, "..".to_owned()),
                        _ => (format!("`{name}`"), name),
                    };
                    report.push_with(
                        operator.span(),
                        &OPTION_IN_MAP,
                        format!("{what} returns `Option`, `map` would pass it on as the record"),
                        format!(
                            "write `.filter_map({call})`: what is `None` is counted as dropped"
                        ),
                    );
                }
            }
        }
    }
}
