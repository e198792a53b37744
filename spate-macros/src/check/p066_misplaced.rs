//! P066: attributes are spelt right and stand where they belong, and what a module must have is
//! there.
//!
//! Most of it is reported where the module is read (`ast`).

use crate::model::Pipeline;
use crate::report::{Report, Rule};

/// For `ast`, which reports it at the token that is not of the grammar.
pub(crate) const P066: Rule = Rule { code: "P066", help: "" };

/// Reports a pipeline without a chain, at its name.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    if pipeline.chains.is_empty() && !pipeline.holes {
        report.push_with(
            pipeline.ident.span(),
            &P066,
            format!("pipeline `{}` has no chain", pipeline.ident),
            "write `chain!(name, { source.decode().or_stop().to(sink) });` in it",
        );
    }
}
