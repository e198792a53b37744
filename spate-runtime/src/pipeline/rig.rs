//! One lane of a pipeline without its world: for benches and test harnesses.
//!
//! The chain, its ports, frames, queues and ledger are the real ones; the caller brings the lane
//! that feeds it, takes the frames it hands over, and steps it. Nothing waits, nothing has threads.

use std::sync::Arc as StdArc;
use std::time::Instant;

use super::definition::{Assembler, Definition, Target};
use crate::chain::cx::LaneCx;
use crate::chain::frame::Frame;
use crate::chain::lane_chain::LaneSeed;
use crate::chain::pool::Pool;
use crate::chain::port::{Route, SinkShared};
use crate::chain::tally::ChainCounters;
use crate::clock::Clock;
use crate::config::Config;
use crate::id::{Epoch, LookupId, NextOffset, Partition, SinkId, Watermark};
use crate::lane::drive::{LaneDriver, LaneParts, Step};
use crate::lane::shared::LaneShared;
use crate::lane::source::Lane;
use crate::ledger::Incarnation;
use crate::lookup::{AnyCell, Lookup, LookupCell};
use crate::queue::{Parker, ShardQueue};
use crate::sync::{Arc, AtomicU64};

/// How a rig is cut.
#[derive(Clone, Debug)]
pub struct RigSettings {
    /// Shape `[sink]`: how many shards each has, at least 1.
    pub shards: Vec<usize>,
    /// Bytes at which a frame is full.
    pub frame_bytes: usize,
    /// Frames that fit in each shard's queue.
    pub queue_frames: usize,
    /// The memory budget in bytes.
    pub memory: usize,
}

/// One lane of a pipeline.
#[derive(Debug)]
pub struct Rig {
    driver: LaneDriver,
    sinks: Vec<Arc<SinkShared>>,
    shared: Arc<LaneShared>,
    counters: Arc<ChainCounters>,
    pool: Arc<Pool>,
    /// Shape `[lookup]`.
    lookups: Vec<StdArc<dyn AnyCell>>,
    /// Kept because the lane's wakers refer to it.
    parker: Parker,
}

impl Rig {
    /// Builds chain `chain` of `D` over `lane`, which starts at offset 0 of `partition`.
    ///
    /// # Panics
    ///
    /// If `D` has no such chain, or `settings.shards` is not one number per sink.
    #[must_use]
    pub fn new<D: Definition>(
        chain: usize,
        partition: Partition,
        lane: Box<dyn Lane>,
        settings: &RigSettings,
        clock: &Clock,
    ) -> Self {
        assert_eq!(settings.shards.len(), D::GRAPH.sinks.len(), "one number of shards per sink");
        let config = Config::empty();
        let mut assembler = Assembler::new(D::GRAPH, &config, Target::Bare);
        D::assemble(&mut assembler);
        let build = assembler.chains[chain]
            .take()
            .expect("the definition has this chain");

        let lookups: Vec<_> = assembler
            .lookups
            .iter()
            .flatten()
            .map(|loader| StdArc::clone(&loader.cell))
            .collect();
        let pool = Pool::new(settings.memory);
        let sinks: Vec<_> = D::GRAPH
            .sinks
            .iter()
            .zip(&settings.shards)
            .enumerate()
            .map(|(index, (node, shards))| {
                Arc::new(SinkShared {
                    sink: SinkId(index),
                    name: node.name,
                    queues: (0..*shards)
                        .map(|_| ShardQueue::new(settings.queue_frames))
                        .collect(),
                    route: if node.key.is_empty() { Route::RoundRobin } else { Route::Key },
                    frame_bytes: settings.frame_bytes,
                    linger: std::time::Duration::from_secs(1),
                    by_lane: true,
                    pool: Arc::clone(&pool),
                    pushed: AtomicU64::new(0),
                    cut: AtomicU64::new(0),
                    abandoned: AtomicU64::new(0),
                    durable: AtomicU64::new(0),
                })
            })
            .collect();
        let parker = Parker::new();
        let slot = parker.slot();
        let shared = Arc::new(LaneShared::new(partition, Epoch(1), Incarnation(0), NextOffset(0)));
        let node = &D::GRAPH.chains[chain];
        let counters = Arc::new(ChainCounters::new(node.stages.len()));
        let seed = LaneSeed { sinks: &sinks, lane: &shared, slot: &slot, clock, lookups: &lookups };
        let driver = LaneDriver::new(
            lane,
            build(&seed),
            LaneCx::new(node),
            LaneParts {
                shared: Arc::clone(&shared),
                counters: Arc::clone(&counters),
                pool: Arc::clone(&pool),
                slot: &slot,
            },
        );
        Self { driver, sinks, shared, counters, pool, lookups, parker }
    }

    /// Does what there is to do at `now`.
    pub fn step(&mut self, now: Instant) -> Step {
        self.driver.step(now)
    }

    /// Hands over what is open and reads no more; step until [`Step::Closed`].
    pub fn close(&mut self) {
        self.driver.close();
    }

    /// Gives every frame handed over since the last call to `each`, by sink and shard; a frame that
    /// `each` accepts is resolved.
    pub fn take_frames(&mut self, mut each: impl FnMut(&Frame) -> bool) {
        for sink in &self.sinks {
            for queue in &sink.queues {
                while let Some(frame) = queue.try_recv() {
                    if each(&frame) {
                        frame.resolve();
                    }
                }
            }
        }
    }

    /// Swaps a snapshot in, as a load would; before the first one a lookup is empty.
    ///
    /// # Panics
    ///
    /// If there is no such lookup, or it is one of other types.
    pub fn set_lookup<K, V>(&self, lookup: LookupId, snapshot: Lookup<K, V>, now: Instant)
    where
        K: Send + Sync + 'static,
        V: Send + Sync + 'static,
    {
        let cell = StdArc::clone(&self.lookups[lookup.0]);
        let cell = cell.into_any().downcast::<LookupCell<K, V>>();
        cell.expect("a lookup of these types").store(snapshot, now);
    }

    /// The lane's watermark.
    #[must_use]
    pub fn watermark(&self) -> Watermark {
        self.shared.watermark()
    }

    /// The chain's counters.
    #[must_use]
    pub fn counters(&self) -> &ChainCounters {
        &self.counters
    }

    /// The frame memory.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Whether anything woke the lane since the last call.
    #[must_use]
    pub fn take_wake(&self) -> bool {
        self.parker.take()
    }
}
