//! P044: a state belongs to one chain.
//!
//! Every chain makes its own, so what one remembers the other would not know.

use crate::model::{Param, Pipeline};
use crate::report::{Report, Rule};

const ONE_CHAIN: Rule = Rule { code: "P044", help: "" };

/// Reports each operator that takes a state of an earlier chain, at its name in the chain.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    // Shape `[state]`: the first chain that uses it.
    let mut owners: Vec<Option<usize>> = vec![None; pipeline.states.len()];
    for called in pipeline.calls() {
        let Some(function) = pipeline.function(called.operator) else { continue };
        for param in &function.params {
            let Param::State(index) = param else { continue };
            let Some(owner) = owners.get_mut(*index) else { continue };
            let first = *owner.get_or_insert(called.chain);
            let name = |chain: usize| {
                pipeline
                    .chains
                    .get(chain)
                    .map(|chain| pipeline.chain_name(chain).to_string())
            };
            // Chains under a `cfg` may exclude each other.
            let certain = |chain: usize| {
                pipeline
                    .chains
                    .get(chain)
                    .is_some_and(|chain| chain.cfgs.is_empty())
            };
            if first == called.chain || !(certain(first) || certain(called.chain)) {
                continue;
            }
            let (Some(state), Some(first), Some(here)) =
                (pipeline.states.get(*index), name(first), name(called.chain))
            else {
                continue;
            };
            let state = &state.ident;
            report.within(called.cfgs).push_with(
                called.operator.span(),
                &ONE_CHAIN,
                format!("state `{state}` belongs to chain `{first}`, `{here}` would get another"),
                format!("declare a state for `{here}`, and an operator that takes it"),
            );
        }
    }
}
