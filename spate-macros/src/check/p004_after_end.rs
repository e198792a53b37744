//! P004: nothing follows the end of a path.

use crate::model::{End, Pipeline};
use crate::report::{Report, Rule};

const AFTER_END: Rule = Rule {
    code: "P004",
    help: "move it before the end, or send the records two ways: `let (a, b) = path.tee();`",
};

/// Reports the first thing behind each end, at its name.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        for path in &chain.paths {
            let report = &mut *report.within(&path.cfgs);
            let Some(behind) = path.behind_end.first() else { continue };
            let end = match &path.end {
                End::To { sink, .. } => format!("`.to({sink})`"),
                _ => "`.discard(..)`".to_owned(),
            };
            let message = format!("`{behind}` comes after {end}, which ends the path");
            report.push(behind.span(), &AFTER_END, message);
        }
    }
}
