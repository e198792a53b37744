//! P020: a stage that can fail says what happens then.
//!
//! There is no default: to lose a record, to stop, or to put it aside is the user's to decide.

use crate::model::{Kind, Pipeline};
use crate::report::{Report, Rule};

const NO_POLICY: Rule = Rule {
    code: "P020",
    help: "write `.or_skip()`, `.or_stop()` or `.or_to(<dead-letter sink>)` behind it",
};

/// Reports each fallible stage without a policy, at its name.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        for path in &chain.paths {
            let report = &mut *report.within(&path.cfgs);
            for stage in &path.stages {
                if stage.fallible && stage.policy.is_none() && !stage.questioned {
                    let what = match (&stage.operator, stage.kind) {
                        (Some(operator), kind) if kind != Kind::DecodeWith => operator.name(),
                        _ => stage.token.to_string(),
                    };
                    let what = if what.starts_with("this ") { what } else { format!("`{what}`") };
                    let message =
                        format!("{what} can fail and the chain does not say what happens then");
                    report.push(stage.span(), &NO_POLICY, message);
                }
            }
        }
    }
}
