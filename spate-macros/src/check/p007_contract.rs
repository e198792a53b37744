//! P007: a chain keeps its contract.
//!
//! The types themselves are rustc's to compare (E0308 at the contract's type, see
//! `codegen::chain`); here their number is held against the sinks the chain writes to.

use syn::Type;

use crate::ast::first_span;
use crate::model::{Chain, End, Pipeline};
use crate::report::{Report, Rule};

const CONTRACT: Rule = Rule {
    code: "P007",
    help: "name one row type per sink, in the order of their first `.to(..)`; dead letters are left out",
};

/// Reports a contract that names too many rows or too few, at its second type.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        let Some(contract) = &chain.contract else { continue };
        if chain.holes {
            continue;
        }
        let rows = rows(&contract.gives).len();
        let sinks = sinks(chain).len();
        if rows != sinks {
            let message = format!(
                "the contract names {}, the chain writes to {}",
                count(rows, "row type"),
                count(sinks, "sink")
            );
            report.under(&chain.cfgs, |report| {
                report.push(first_span(&contract.gives), &CONTRACT, message);
            });
        }
    }
}

/// The row types of a contract: one, or a tuple of them.
pub(crate) fn rows(gives: &Type) -> Vec<&Type> {
    match gives {
        Type::Tuple(tuple) => tuple.elems.iter().collect(),
        one => vec![one],
    }
}

/// The sinks a chain writes rows to, in the order of their first `.to(..)`.
pub(crate) fn sinks(chain: &Chain) -> Vec<usize> {
    let mut sinks = Vec::new();
    for path in &chain.paths {
        if let End::To { index: Some(index), .. } = path.end
            && !sinks.contains(&index)
        {
            sinks.push(index);
        }
    }
    sinks
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
