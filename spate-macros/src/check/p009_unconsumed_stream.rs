//! P009: every stream is consumed (INV-M2).
//!
//! Its records would be counted as done by the watermark, and nobody wrote them.

use crate::model::{Origin, Pipeline, StreamKind};
use crate::report::{Report, Rule};

const UNCONSUMED: Rule = Rule { code: "P009", help: "" };

/// Reports each bound stream that no path begins with, at its name.
///
/// Silent in a chain with an unknown head: that one was probably meant (P003).
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        let unknown = chain
            .paths
            .iter()
            .any(|path| path.origin == Origin::Unknown);
        if chain.holes || unknown {
            continue;
        }
        report.under(&chain.cfgs, |report| {
            for stream in &chain.streams {
                if stream.kind == StreamKind::Arm || !stream.uses.is_empty() {
                    continue;
                }
                let name = &stream.name;
                report.push_with(
                    name.span(),
                    &UNCONSUMED,
                    format!("stream `{name}` is never consumed, its records would reach no sink"),
                    format!("write `{name}.to(<sink>)`, or `{name}.discard(\"reason\")`"),
                );
            }
        });
    }
}
