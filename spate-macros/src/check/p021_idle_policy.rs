//! P021: no policy without a failure, and one policy per failure.

use super::signature;
use crate::model::{Operator, Pipeline};
use crate::report::{Report, Rule};

/// For `lower`, which reports a policy behind no stage at all.
pub(crate) const P021: Rule = Rule { code: "P021", help: "remove it" };

/// Reports each policy that would never act, at its name.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        for path in &chain.paths {
            let report = &mut *report.within(&path.cfgs);
            for stage in &path.stages {
                let what = stage
                    .operator
                    .as_ref()
                    .map_or_else(|| format!("`{}`", stage.token), quoted);
                for policy in &stage.idle_policies {
                    let message = if stage.fallible {
                        format!("{what} has a policy already, `.{policy}(..)` would never act")
                    } else {
                        format!("{what} cannot fail, `.{policy}(..)` would never act")
                    };
                    report.push(policy.span(), &P021, message);
                }
                let Some(operator) = &stage.operator else { continue };
                let Some(policy) = &stage.policy else { continue };
                let infallible = pipeline
                    .function(operator)
                    .is_some_and(|function| signature::never_fails(function, &pipeline.scope));
                if infallible {
                    let plain = stage.token.to_string().replace("try_", "");
                    report.push_with(
                        policy.token.span(),
                        &P021,
                        format!("{what} cannot fail, `.{}(..)` would never act", policy.token),
                        format!("write `.{plain}({})` and no policy", operator.name()),
                    );
                }
            }
        }
    }
}

fn quoted(operator: &Operator) -> String {
    match operator {
        Operator::Closure(..) => operator.name(),
        _ => format!("`{}`", operator.name()),
    }
}
