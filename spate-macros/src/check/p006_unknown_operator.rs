//! P006: operators exist.
//!
//! Where the module imports with a glob, a name may come from outside; there rustc says the same
//! with E0425 at the same token.

use crate::lower::may_come_from_elsewhere;
use crate::model::{Operator, Pipeline};
use crate::names;
use crate::report::{Report, Rule};

/// For `lower`, which reports what is no operator at all.
pub(crate) const P006: Rule = Rule { code: "P006", help: "" };

/// Functions every module has without an import.
const PRELUDE: [&str; 3] = ["drop", "size_of_val", "align_of_val"];

/// Reports a name that no function of the module has, at the name.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for called in pipeline.calls() {
        let Operator::Path(path) = called.operator else { continue };
        let Some(ident) = path.path.get_ident() else { continue };
        let name = ident.to_string();
        let is_type = name.starts_with(char::is_uppercase);
        if is_type
            || PRELUDE.contains(&name.as_str())
            || may_come_from_elsewhere(&pipeline.scope, &name)
        {
            continue;
        }
        let known: Vec<String> = pipeline
            .functions
            .iter()
            .map(|function| function.ident.to_string())
            .collect();
        let help = names::nearest(&name, known.iter().map(String::as_str)).map_or_else(
            || format!("write `fn {name}(..)` in the module, or import it"),
            |near| format!("did you mean `{near}`?"),
        );
        let message = format!("no function named `{name}` in `{}`", pipeline.ident);
        let report = &mut *report.within(called.cfgs);
        report.push_with(ident.span(), &P006, message, help);
    }
}
