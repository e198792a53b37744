//! What a pipeline did: counts that balance, and how it ended. Pure.
//!
//! The shells read their counters into a [`Snapshot`]; everything else is derived from it and from
//! the graph. Per stage, from the source down: `in + made = out + filtered + skipped + diverted +
//! discarded`. What must agree although it is counted in different places:
//!
//! ```text
//! records into a split               = records its arms took
//! rows into `to(sink)`, dead letters = rows its ports handed over, and rows cut
//! rows handed over                   = rows durable, and rows given up
//! watermark                         >= committed
//! ```
//!
//! A chain whose lane stopped or panicked had a payload in hand, of which some records were
//! counted and none was kept: its equations are left out, and the report says so.

mod flow;
mod text;

use std::fmt;
use std::time::{Duration, Instant};

pub use flow::{Flow, flows};
pub use text::grouped;

use super::controller::{Ended, Outcome};
use super::status::{LaneView, Phase, SinkView, Status};
use crate::chain::tally::ChainCounters;
use crate::graph::Graph;
use crate::id::{Epoch, NextOffset, Partition, Watermark};
use crate::lane::shared::LaneState;
use crate::lookup::LookupStatus;
use crate::sink::times::TimeCounts;
use crate::sync::Ordering;

/// All counts of a pipeline at one moment, from the start of the process.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The topology.
    pub graph: &'static Graph,
    /// How far the run is.
    pub phase: Phase,
    /// Time since the start.
    pub elapsed: Duration,
    /// Shape `[chain]`, as in the graph.
    pub chains: Vec<ChainCounts>,
    /// Shape `[sink]`, as in the graph.
    pub sinks: Vec<SinkCounts>,
    /// Shape `[lookup]`, as in the graph.
    pub lookups: Vec<LookupCounts>,
    /// The lanes that live, in order of partition.
    pub lanes: Vec<LaneCounts>,
    /// The lanes that ended, the newest of each partition that has none that lives, in order of
    /// partition.
    pub ended: Vec<LaneCounts>,
    /// Whether every source was told its partitions, be it none.
    pub has_assignment: bool,
    /// Why the pipeline failed; empty while it has not.
    pub failures: Vec<String>,
    /// What the pipeline has waited for longer than it should; `None` while it moves.
    pub stall: Option<String>,
    /// Commits that were accepted.
    pub commits: u64,
    /// Commits that were refused and tried again.
    pub commits_refused: u64,
    /// Partitions taken.
    pub assigned: u64,
    /// Partitions given back or lost.
    pub revoked: u64,
    /// Bytes in flight, by capacity.
    pub memory_used: u64,
    /// The budget for them.
    pub memory_limit: u64,
    /// The most that was in flight.
    pub memory_peak: u64,
    /// The most memory the process had resident, in bytes; `None` where the system does not tell.
    pub resident_peak: Option<u64>,
    /// How often lane threads were woken.
    pub lane_wakes: u64,
}

/// Counts of one chain.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChainCounts {
    /// Payloads that went in.
    pub payloads: u64,
    /// Payloads that were in hand when a lane stopped or panicked.
    pub in_hand: u64,
    /// Shape `[stage]`, as in the chain's node.
    pub stages: Vec<StageCounts>,
}

/// Counts of one stage; see `StageKind` for what each means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StageCounts {
    /// Records made beyond one per record in (for an arm: the records that took it).
    pub made: u64,
    /// Records dropped as the stage's purpose is.
    pub dropped: u64,
    /// Records the stage failed on.
    pub failed: u64,
}

impl From<&ChainCounters> for ChainCounts {
    fn from(counters: &ChainCounters) -> Self {
        let stages = counters.stages.iter().map(|stage| StageCounts {
            made: stage.made.load(Ordering::Relaxed),
            dropped: stage.dropped.load(Ordering::Relaxed),
            failed: stage.failed.load(Ordering::Relaxed),
        });
        Self {
            stages: stages.collect(),
            payloads: counters.payloads.load(Ordering::Relaxed),
            in_hand: counters.in_hand.load(Ordering::Relaxed),
        }
    }
}

/// Counts of one sink.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SinkCounts {
    /// Rows that ports handed over.
    pub pushed: u64,
    /// Rows that ports took and never handed over: of a payload in hand at a stop, or of a lane
    /// that was given up.
    pub cut: u64,
    /// Rows that are written for good.
    pub durable: u64,
    /// Rows that were handed over and given up; their offsets were not committed.
    pub abandoned: u64,
    /// Sealed batches that are written for good.
    pub batches: u64,
    /// Bytes in these batches, before compression.
    pub bytes: u64,
    /// Writes that were tried again.
    pub retries: u64,
    /// How often writers were woken.
    pub turns: u64,
    /// How long writes took.
    pub write_times: TimeCounts,
    /// How old the first rows of batches were when they were durable.
    pub ages: TimeCounts,
    /// Whether every shard answered a probe or took a write since the start.
    pub answered: bool,
    /// What the last write failed with; `None` after a success.
    pub trouble: Option<String>,
}

impl SinkCounts {
    /// Rows handed over that are neither written nor given up.
    #[must_use]
    pub const fn in_flight(&self) -> u64 {
        self.pushed
            .saturating_sub(self.durable)
            .saturating_sub(self.abandoned)
    }
}

impl From<&SinkView> for SinkCounts {
    fn from(sink: &SinkView) -> Self {
        let rows = &sink.shared;
        let mut counts = Self {
            pushed: rows.pushed.load(Ordering::Relaxed),
            cut: rows.cut.load(Ordering::Relaxed),
            durable: rows.durable.load(Ordering::Relaxed),
            abandoned: rows.abandoned.load(Ordering::Relaxed),
            answered: true,
            ..Self::default()
        };
        for shard in &sink.shards {
            counts.batches += shard.batches.load(Ordering::Relaxed);
            counts.bytes += shard.bytes.load(Ordering::Relaxed);
            counts.retries += shard.retries.load(Ordering::Relaxed);
            counts.turns += shard.turns.load(Ordering::Relaxed);
            counts.write_times.add(&shard.write_times);
            counts.ages.add(&shard.ages);
            counts.answered &= shard.answered.load(Ordering::Relaxed);
            counts.trouble = counts.trouble.or_else(|| shard.last_error());
        }
        counts
    }
}

/// Counts of one lookup.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LookupCounts {
    /// Snapshots that were loaded.
    pub loads: u64,
    /// Loads that failed: the snapshot before stayed.
    pub failures: u64,
    /// Keys of the snapshot that is read now.
    pub entries: u64,
    /// Time since it was loaded; `None` before the first load.
    pub age: Option<Duration>,
    /// What the last load failed with; `None` after a success.
    pub trouble: Option<String>,
}

impl LookupCounts {
    fn of(status: &LookupStatus, now: Instant) -> Self {
        let last = status.last.lock();
        Self {
            loads: status.loads.load(Ordering::Relaxed),
            failures: status.failures.load(Ordering::Relaxed),
            entries: status.entries.load(Ordering::Relaxed),
            age: last
                .loaded
                .map(|loaded| now.saturating_duration_since(loaded)),
            trouble: last.trouble.clone(),
        }
    }
}

/// Where one lane stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaneCounts {
    /// Index of its source.
    pub source: usize,
    /// Which partition it reads.
    pub partition: Partition,
    /// In which assignment.
    pub epoch: Epoch,
    /// Everything below it went through the chain.
    pub position: NextOffset,
    /// Everything below it is durable.
    pub watermark: Watermark,
    /// What the source knows to be durable; `None` before the first commit of this epoch.
    pub committed: Option<Watermark>,
    /// How far the log reaches; `None` if the source cannot tell.
    pub log_end: Option<NextOffset>,
    /// Frames that are not durable yet.
    pub unresolved: usize,
    /// Whether it waits for room: a frame is parked, or the budget is used up.
    pub blocked: bool,
    /// Whether it has not moved for long although it has something to do.
    pub stalled: bool,
}

impl From<&LaneView> for LaneCounts {
    fn from(lane: &LaneView) -> Self {
        let shared = &lane.shared;
        // In this order: a watermark read first cannot lie above the position read after it.
        let watermark = shared.watermark();
        Self {
            source: lane.source,
            partition: shared.partition.clone(),
            epoch: shared.epoch,
            position: shared.position(),
            watermark,
            committed: lane.committed,
            log_end: lane.log_end,
            unresolved: shared.unresolved(),
            blocked: shared.state() == LaneState::Blocked,
            stalled: lane.stalled_since.is_some(),
        }
    }
}

impl LaneCounts {
    /// Payloads between the watermark and the end of the log; 0 where the source cannot tell.
    #[must_use]
    pub fn lag(&self) -> u64 {
        self.log_end
            .map_or(0, |end| end.0.saturating_sub(self.watermark.0))
    }
}

impl Snapshot {
    /// Reads all counters. Cheap enough for once a second: a lock and a few loads per lane.
    #[must_use]
    pub fn of(status: &Status) -> Self {
        let (used, limit) = (status.pool.in_flight(), status.pool.budget());
        // Committed first: it cannot lie above a watermark that is read after it.
        let lanes = in_order(&status.lanes());
        let mut ended = in_order(&status.ended_lanes());
        ended.retain(|old| lanes.iter().all(|lane| lane.partition != old.partition));
        Self {
            graph: status.graph,
            phase: status.phase(),
            elapsed: status.elapsed(),
            chains: status
                .chains
                .iter()
                .map(|chain| ChainCounts::from(&**chain))
                .collect(),
            sinks: status.sinks.iter().map(SinkCounts::from).collect(),
            lookups: status
                .lookups
                .iter()
                .map(|lookup| LookupCounts::of(lookup.status(), status.clock.now()))
                .collect(),
            lanes,
            ended,
            has_assignment: status.has_assignment(),
            failures: status.failures(),
            stall: status.stall(),
            commits: status.commits.load(Ordering::Relaxed),
            commits_refused: status.commits_refused.load(Ordering::Relaxed),
            assigned: status.assigned.load(Ordering::Relaxed),
            revoked: status.revoked.load(Ordering::Relaxed),
            memory_used: used as u64,
            memory_limit: limit as u64,
            memory_peak: status.pool.peak() as u64,
            resident_peak: None,
            lane_wakes: status.lane_wakes(),
        }
    }

    /// Payloads that went into all chains.
    #[must_use]
    pub fn payloads(&self) -> u64 {
        self.chains.iter().map(|chain| chain.payloads).sum()
    }

    /// Payloads between watermarks and ends of the logs, all lanes together.
    #[must_use]
    pub fn lag(&self) -> u64 {
        self.lanes.iter().map(LaneCounts::lag).sum()
    }
}

fn in_order(lanes: &[LaneView]) -> Vec<LaneCounts> {
    let mut lanes: Vec<_> = lanes.iter().map(LaneCounts::from).collect();
    lanes.sort_by(|a, b| (&a.partition, a.epoch).cmp(&(&b.partition, b.epoch)));
    lanes
}

/// What a pipeline did from start to end.
#[derive(Clone, Debug)]
pub struct Report {
    /// The counts at the end.
    pub snapshot: Snapshot,
    /// How it ended.
    pub outcome: Outcome,
}

impl Report {
    /// Reads the counters of a pipeline that has ended.
    #[must_use]
    pub fn of(ended: &Ended) -> Self {
        let snapshot = Snapshot { resident_peak: resident_peak(), ..Snapshot::of(&ended.status) };
        Self { snapshot, outcome: ended.outcome }
    }

    /// The exit code of the process: 0 drained, 1 failed, 3 deadline passed.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self.outcome {
            Outcome::Drained => 0,
            Outcome::Failed => 1,
            Outcome::DeadlinePassed => 3,
        }
    }

    /// Whether all counts agree; see the module for which.
    ///
    /// # Errors
    ///
    /// Every equation that does not hold.
    pub fn balance(&self) -> Result<(), Vec<Imbalance>> {
        let mut broken = flow::imbalances(&self.snapshot);
        for lane in self.snapshot.lanes.iter().chain(&self.snapshot.ended) {
            if let Some(committed) = lane
                .committed
                .filter(|committed| *committed > lane.watermark)
            {
                broken.push(Imbalance {
                    what: format!("lane {}: committed, its watermark", lane.partition),
                    left: committed.0,
                    right: lane.watermark.0,
                });
            }
        }
        if broken.is_empty() { Ok(()) } else { Err(broken) }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write(self, f)
    }
}

/// The most memory that this process had resident: Linux counts it (`VmHWM` of proc(5)).
fn resident_peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// Two counts of the same thing that differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Imbalance {
    /// What was counted, on both sides.
    pub what: String,
    /// The left side.
    pub left: u64,
    /// The right side.
    pub right: u64,
}

impl fmt::Display for Imbalance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} is not {}", self.what, self.left, self.right)
    }
}

#[cfg(test)]
pub(crate) mod tests;
