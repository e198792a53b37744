//! P015: the names of chains are unique in a pipeline, and given labels in their chain.

use crate::model::Pipeline;
use crate::report::{Report, Rule};

const TWICE: Rule =
    Rule { code: "P015", help: "name one of them: `.named(\"..\")` behind the stage" };

/// Reports the second of two equal names, where the user gave it.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for (number, chain) in pipeline.chains.iter().enumerate() {
        let name = pipeline.chain_name(chain);
        let earlier = pipeline.chains.iter().take(number).any(|other| {
            pipeline.chain_name(other) == name && (other.cfgs.is_empty() || chain.cfgs.is_empty())
        });
        report.under(&chain.cfgs, |report| {
            if earlier {
                report.push_with(
                    chain.span,
                    &TWICE,
                    format!("there are two chains named `{name}`, their metrics would merge"),
                    "give each a name of its own: `chain!(name, { .. })`",
                );
            }
            for (index, node) in chain.nodes.iter().enumerate() {
                let Some(span) = node.given else { continue };
                let twice = chain.nodes.iter().take(index).any(|other| {
                    other.given.is_some()
                        && other.label == node.label
                        && (other.cfgs.is_empty() || node.cfgs.is_empty())
                });
                if twice {
                    let label = &node.label;
                    let message =
                        format!("label `{name}.{label}` is used twice, their metrics would merge");
                    report.push(span, &TWICE, message);
                }
            }
        });
    }
}
