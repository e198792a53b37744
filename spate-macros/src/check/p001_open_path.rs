//! P001: every path ends in a sink or is discarded with a reason (INV-M2).
//!
//! A record that enters an open path reaches no sink, yet the watermark would pass it, and nobody
//! wrote it (INV-W1). The runtime cannot notice this, so the macro refuses it.

use crate::model::{End, Pipeline};
use crate::report::{Report, Rule};

const OPEN_PATH: Rule = Rule {
    code: "P001",
    help: "end it with `.to(<sink>)`, or `.discard(\"reason\")` to drop its records on purpose",
};

/// Reports each path that ends in anything but `.to` or `.discard`, and each chain without a path.
///
/// Points at the last stage, or at the stream's name when there is none. What an arm leaves open
/// is P013.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        if chain.holes {
            continue;
        }
        for path in &chain.paths {
            if matches!(path.end, End::Open) && !path.in_arm {
                let report = &mut *report.within(&path.cfgs);
                report.push(path.last_span(), &OPEN_PATH, "this path ends without a sink");
            }
        }
        report.under(&chain.cfgs, |report| {
            if chain.paths.is_empty() {
                let name = pipeline.chain_name(chain);
                report.push_with(
                    chain.span,
                    &OPEN_PATH,
                    format!("chain `{name}` has no path"),
                    "write one: `events.decode().or_stop().to(lines)`",
                );
            }
        });
    }
}
