//! Whether a pipeline lives and whether it is ready, each with the reasons. Pure.
//!
//! | state | `/healthz` | `/readyz` |
//! |---|---|---|
//! | starting, the other side does not answer yet | ok | no |
//! | running, no assignment yet, or a sink has not answered | ok | no |
//! | running | ok | ok |
//! | a lane with something to do has not moved for `stall_after` | no | ok |
//! | draining | ok | no |
//! | something failed, or it has ended | no | no |
//!
//! A partition that is not there is no fault: a member of a group without partitions is ready.
//!
//! Source: field report R140.

use crate::pipeline::report::Snapshot;
use crate::pipeline::status::Phase;

/// An answer with its reasons; ok when there are none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// Why not, one line each; no secrets.
    pub reasons: Vec<String>,
}

impl Verdict {
    /// Whether nothing speaks against it.
    #[must_use]
    pub const fn is_ok(&self) -> bool {
        self.reasons.is_empty()
    }
}

/// Whether the process should go on: a `no` asks for a restart.
#[must_use]
pub fn live(snapshot: &Snapshot) -> Verdict {
    let mut reasons = snapshot.failures.clone();
    if snapshot.phase == Phase::Ended {
        reasons.push("the pipeline has ended".to_owned());
    }
    match &snapshot.stall {
        Some(stall) => reasons.push(stall.clone()),
        None => {
            let stalled = snapshot.lanes.iter().filter(|lane| lane.stalled);
            reasons.extend(
                stalled.map(|lane| {
                    format!("{} has not moved from {}", lane.partition, lane.watermark)
                }),
            );
        }
    }
    Verdict { reasons }
}

/// Whether records can flow.
#[must_use]
pub fn ready(snapshot: &Snapshot) -> Verdict {
    let mut reasons = snapshot.failures.clone();
    let phase = match snapshot.phase {
        Phase::Starting => Some("the checks before the start have not passed yet"),
        Phase::Draining => Some("the pipeline drains"),
        Phase::Ended => Some("the pipeline has ended"),
        Phase::Running => None,
    };
    reasons.extend(phase.map(str::to_owned));
    if snapshot.phase == Phase::Running {
        if !snapshot.has_assignment {
            reasons.push("a source has not been told its partitions yet".to_owned());
        }
        for (node, sink) in snapshot.graph.sinks.iter().zip(&snapshot.sinks) {
            if !sink.answered {
                let trouble = sink.trouble.as_deref().unwrap_or("no reason known");
                reasons.push(format!("sink `{}` has not answered yet: {trouble}", node.name));
            }
        }
    }
    Verdict { reasons }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::report::tests::snapshot;

    fn running() -> Snapshot {
        let mut snapshot = snapshot();
        snapshot.phase = Phase::Running;
        for sink in &mut snapshot.sinks {
            sink.answered = true;
        }
        snapshot
    }

    type Change = fn(&mut Snapshot);

    #[test]
    fn every_state_has_its_two_answers_and_its_reasons() {
        let cases: &[(Change, bool, bool, &str)] = &[
            (|_| {}, true, true, ""),
            (|s| s.phase = Phase::Starting, true, false, "the checks before the start"),
            (|s| s.phase = Phase::Draining, true, false, "drains"),
            (|s| s.phase = Phase::Ended, false, false, "has ended"),
            (|s| s.has_assignment = false, true, false, "told its partitions"),
            (|s| s.lanes.clear(), true, true, ""),
            (|s| s.sinks[0].answered = false, true, false, "sink `lines` has not answered yet"),
            (|s| s.lanes[0].stalled = true, false, true, "orders[1] has not moved from 400"),
            (|s| s.stall = Some("waits for sink `lines`".into()), false, true, "waits for sink"),
            (|s| s.failures.push("sink refused".into()), false, false, "sink refused"),
        ];
        for (index, (change, lives, is_ready, reason)) in cases.iter().enumerate() {
            let mut snapshot = running();
            change(&mut snapshot);
            let (live, ready) = (live(&snapshot), ready(&snapshot));
            assert_eq!((live.is_ok(), ready.is_ok()), (*lives, *is_ready), "case {index}");
            let reasons = [live.reasons, ready.reasons].concat().join("\n");
            assert!(reasons.contains(reason), "case {index}: {reasons}");
        }
    }

    /// R140: not ready, but alive, while the sink cannot be reached; the reason is in the answer.
    #[test]
    fn r140_a_sink_that_cannot_be_reached_is_named_with_its_error() {
        let mut snapshot = running();
        snapshot.sinks[1].answered = false;
        snapshot.sinks[1].trouble = Some("connection refused".to_owned());
        assert!(live(&snapshot).is_ok());
        let reasons = ready(&snapshot).reasons;
        assert_eq!(reasons, ["sink `refunds` has not answered yet: connection refused"]);
    }
}
