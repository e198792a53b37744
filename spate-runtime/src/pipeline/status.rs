//! What a running pipeline shows: shared by controller, lanes and writers, read by anybody.

use std::collections::BTreeMap;
use std::sync::Arc as StdArc;
use std::time::{Duration, Instant};

use super::report::Snapshot;
use crate::chain::pool::Pool;
use crate::chain::port::SinkShared;
use crate::chain::tally::ChainCounters;
use crate::clock::Clock;
use crate::graph::Graph;
use crate::id::{Epoch, NextOffset, Watermark};
use crate::lane::shared::LaneShared;
use crate::lookup::AnyCell;
use crate::metrics::Metrics;
use crate::queue::Slot;
use crate::sink::status::ShardStatus;
use crate::sync::{Arc, AtomicU64, Mutex};

/// A lane as the controller knows it.
#[derive(Clone, Debug)]
pub struct LaneView {
    /// Index of its source.
    pub source: usize,
    /// What it shares.
    pub shared: Arc<LaneShared>,
    /// What was committed last in its epoch.
    pub committed: Option<Watermark>,
    /// How far its log reaches, where the source can tell.
    pub log_end: Option<NextOffset>,
    /// Since when its watermark has not moved although something is unresolved or unread.
    pub stalled_since: Option<Instant>,
}

/// How far the pipeline came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// The preflight waits for the other side.
    Starting,
    /// Records may flow.
    Running,
    /// It hands over, seals, writes and commits what it has.
    Draining,
    /// It has ended.
    Ended,
}

/// One sink as everybody sees it.
#[derive(Clone, Debug)]
pub struct SinkView {
    /// What the ports share: counters of rows.
    pub shared: Arc<SinkShared>,
    /// Shape `[shard]`.
    pub shards: Vec<Arc<ShardStatus>>,
}

/// Everything a running pipeline shows.
#[derive(Debug)]
pub struct Status {
    /// The topology.
    pub graph: &'static Graph,
    /// Shape `[chain]`.
    pub chains: Vec<Arc<ChainCounters>>,
    /// Shape `[sink]`.
    pub sinks: Vec<SinkView>,
    /// Shape `[lookup]`.
    pub(crate) lookups: Vec<StdArc<dyn AnyCell>>,
    /// The frame memory.
    pub pool: Arc<Pool>,
    /// What wakes each lane thread.
    pub(crate) lane_slots: Vec<Slot>,
    /// Commits that were accepted.
    pub commits: AtomicU64,
    /// Commits that were refused and are tried again.
    pub commits_refused: AtomicU64,
    /// Assignments taken, by partition.
    pub assigned: AtomicU64,
    /// Partitions given back or lost.
    pub revoked: AtomicU64,
    /// When the run began.
    pub started: Instant,
    pub(crate) clock: Clock,
    pub(crate) metrics: Metrics,
    pub(crate) state: Mutex<State>,
}

/// The part of the status that changes under a lock, once per controller turn at most.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) phase: Phase,
    pub(crate) lanes: BTreeMap<Epoch, LaneView>,
    /// Lanes that ended, kept for the report: by partition, the newest epoch.
    pub(crate) ended: Vec<LaneView>,
    /// Whether every source has answered with an assignment, be it an empty one.
    pub(crate) assignments: Vec<bool>,
    /// Why the pipeline failed, first reason first.
    pub(crate) failures: Vec<String>,
    /// What the controller waits for, if it has waited long.
    pub(crate) stall: Option<String>,
}

impl Status {
    /// Time since the run began.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.clock.now().saturating_duration_since(self.started)
    }

    /// Sets the metrics to what is counted now: once a second, at the end, and at every scrape.
    pub fn record(&self) -> Snapshot {
        let snapshot = Snapshot::of(self);
        self.metrics.record(&snapshot);
        snapshot
    }

    /// How often lane threads were woken: by a source, a freed slot, freed memory or a command.
    #[must_use]
    pub fn lane_wakes(&self) -> u64 {
        self.lane_slots.iter().map(Slot::wakes).sum()
    }

    /// How far the pipeline came.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.state.lock().phase
    }

    /// The lanes that run now, in order of assignment.
    #[must_use]
    pub fn lanes(&self) -> Vec<LaneView> {
        self.state.lock().lanes.values().cloned().collect()
    }

    /// The lanes that ended, in order of their end.
    #[must_use]
    pub fn ended_lanes(&self) -> Vec<LaneView> {
        self.state.lock().ended.clone()
    }

    /// Whether every source has answered with an assignment, be it an empty one.
    #[must_use]
    pub fn has_assignment(&self) -> bool {
        self.state
            .lock()
            .assignments
            .iter()
            .all(|answered| *answered)
    }

    /// Why the pipeline failed; empty while it has not.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        self.state.lock().failures.clone()
    }

    /// What the pipeline has waited for longer than it should; `None` while it moves.
    #[must_use]
    pub fn stall(&self) -> Option<String> {
        self.state.lock().stall.clone()
    }
}

/// A shared status.
pub type SharedStatus = StdArc<Status>;
