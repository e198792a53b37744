//! P013: every arm of a split sends its records on or says why it drops them (INV-M2).

use crate::model::{End, Origin, Pipeline};
use crate::report::{Report, Rule};

const ARM_WITHOUT_END: Rule = Rule {
    code: "P013",
    help: "end it with `.to(<sink>)`, or `.discard(\"why\")`, so that the loss is counted",
};

/// Reports each arm that does nothing with its records, and each path in an arm that stays open.
///
/// Silent where an arm has an unknown head (P003) or uses another's stream (P010).
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        let unknown = chain
            .paths
            .iter()
            .any(|path| path.origin == Origin::Unknown);
        let crossed = chain
            .streams
            .iter()
            .any(|stream| stream.uses.iter().any(|used| used.crossed));
        if chain.holes || unknown || crossed {
            continue;
        }
        for path in &chain.paths {
            let report = &mut *report.within(&path.cfgs);
            if matches!(path.end, End::Open) && path.in_arm {
                let message = "this arm neither sends nor discards";
                report.push(path.last_span(), &ARM_WITHOUT_END, message);
            }
            let End::Split(split) = &path.end else { continue };
            for arm in &split.arms {
                if let Some(other) = arm.also_bound.first() {
                    report.push_with(
                        other.span(),
                        &ARM_WITHOUT_END,
                        "an arm of `split()` goes on with one value, this pattern binds two",
                        "bind one, or use `split_on` and keep the record whole",
                    );
                }
                let uses = chain
                    .streams
                    .get(arm.stream)
                    .map(|stream| stream.uses.len());
                if uses == Some(0) {
                    report.under(&crate::ast::cfgs(&arm.attrs), |report| {
                        let message = "this arm neither sends nor discards";
                        report.push(arm.body_span, &ARM_WITHOUT_END, message);
                    });
                }
            }
        }
    }
}
