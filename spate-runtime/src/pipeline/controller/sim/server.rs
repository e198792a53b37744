//! The simulated sink: a server that keeps rows and tokens, and loses replies.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc as StdArc;
use std::time::Duration;

use super::world::Shared;
use crate::clock::Clock;
use crate::error::Class;
use crate::id::{ReplicaId, ShardId};
use crate::preflight::Findings;
use crate::sink::retry::Jitter;
use crate::sink::{BoxFuture, Layout, Outcome, SealedBatch, Sink, WriteError};

/// One sink's side of the server.
pub(super) struct Table {
    pub(super) layout: Layout,
    /// Who stored a row: process and epoch, once per landing.
    pub(super) rows: BTreeMap<u64, Vec<(u64, u64)>>,
    /// Shard, replica, token.
    pub(super) tokens: BTreeSet<(usize, usize, String)>,
}

/// A batch on its way.
#[derive(Clone)]
pub(super) struct Wire {
    /// When it lands, if it lands late.
    pub(super) at: Duration,
    pub(super) process: u64,
    /// What its sink keeps in order and apart: the epoch, or everything.
    pub(super) group: u64,
    pub(super) sink: usize,
    pub(super) shard: usize,
    pub(super) replica: usize,
    pub(super) token: String,
    /// Rows with their epochs.
    pub(super) rows: Vec<(u64, u64)>,
}

/// What becomes of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    Lands,
    LandsAndTheReplyIsLost,
    IsLost,
    LandsLate,
    IsRefused,
    IsRefusedForGood,
}

pub(super) struct Server {
    pub(super) tables: Vec<Table>,
    /// Sink and shard.
    pub(super) slow_until: BTreeMap<(usize, usize), Duration>,
    pub(super) refuses_until: Duration,
    pub(super) late: Vec<Wire>,
    pub(super) bytes_of: BTreeMap<String, Vec<u8>>,
    /// Process, group and token: the replica that may hold the batch.
    pub(super) held: BTreeMap<(u64, u64, String), usize>,
    /// Attempts at a token that ended with nobody knowing.
    pub(super) unknown: BTreeMap<String, usize>,
    /// Process, sink, shard and group: the tokens being written.
    pub(super) writing: BTreeMap<(u64, usize, usize, u64), Vec<String>>,
    /// Process, sink, shard and epoch: the last offset of the batches begun so far.
    pub(super) begun: BTreeMap<(u64, usize, usize, u64), Option<u64>>,
    /// Process, token and group of every batch that was tried.
    pub(super) tried: BTreeSet<(u64, String, u64)>,
}

impl Server {
    pub(super) fn new(rng: &mut Jitter) -> Self {
        let share = rng.draw().is_multiple_of(3);
        let layouts = [(vec![2, 1], true), (vec![1, 1], false), (vec![1], true)];
        let table = |(replicas, deduplicates)| Table {
            layout: Layout { replicas, deduplicates, replicas_share_tokens: share },
            rows: BTreeMap::new(),
            tokens: BTreeSet::new(),
        };
        Self {
            tables: layouts.map(table).into(),
            slow_until: BTreeMap::new(),
            refuses_until: Duration::ZERO,
            late: Vec::new(),
            bytes_of: BTreeMap::new(),
            held: BTreeMap::new(),
            unknown: BTreeMap::new(),
            writing: BTreeMap::new(),
            begun: BTreeMap::new(),
            tried: BTreeSet::new(),
        }
    }
}

pub(super) struct SimSink {
    pub(super) world: Shared,
    pub(super) process: u64,
    pub(super) sink: usize,
    pub(super) clock: Clock,
}

impl Sink for SimSink {
    fn layout(&self) -> Layout {
        self.world.lock().server.tables[self.sink].layout.clone()
    }

    fn check(&self) -> BoxFuture<'_, Findings> {
        Box::pin(async { Findings::default() })
    }

    fn probe(&self, _: ShardId, _: ReplicaId) -> BoxFuture<'_, Result<(), WriteError>> {
        Box::pin(async { Ok(()) })
    }

    fn write(
        &self,
        shard: ShardId,
        replica: ReplicaId,
        batch: StdArc<SealedBatch>,
    ) -> BoxFuture<'_, Result<(), WriteError>> {
        let mut world = self.world.lock();
        let wire = world.observe_write(self.process, self.sink, shard, replica, &batch);
        let fate = world.fate();
        let mut wait = Duration::from_millis(1 + world.below(30));
        if let Some(until) = world.server.slow_until.get(&(self.sink, shard.0)) {
            wait += until.saturating_sub(world.now);
        }
        let after = Duration::from_millis(world.below(800));
        let lands_unheard = (!world.one_in(3)).then_some(after);
        drop(world);
        let (world, wire) = (self.world.clone(), Some(wire));
        let on_wire = OnWire { world, wire, lands_unheard };
        let clock = self.clock.clone();
        Box::pin(async move {
            clock.sleep_until(clock.now() + wait).await;
            on_wire.arrive(fate)
        })
    }
}

impl super::world::World {
    fn fate(&mut self) -> Fate {
        if self.now < self.server.refuses_until && !self.calm {
            return Fate::IsRefused;
        }
        let fates = [
            (14, Fate::IsRefused),
            (14, Fate::LandsAndTheReplyIsLost),
            (25, Fate::IsLost),
            (25, Fate::LandsLate),
            (400, Fate::IsRefusedForGood),
        ];
        for (count, fate) in fates {
            if self.fault(count) {
                return fate;
            }
        }
        Fate::Lands
    }
}

/// A batch on the wire: it may land although nobody waits for it any more.
struct OnWire {
    world: Shared,
    wire: Option<Wire>,
    /// Whether it lands although nobody waits for it any more, and how much later.
    lands_unheard: Option<Duration>,
}

impl OnWire {
    fn arrive(mut self, fate: Fate) -> Result<(), WriteError> {
        let Some(mut wire) = self.wire.take() else { return Ok(()) };
        let mut world = self.world.lock();
        world.is_written(&wire);
        if matches!(fate, Fate::Lands | Fate::LandsAndTheReplyIsLost) {
            world.land(&wire);
        }
        if fate == Fate::LandsLate {
            wire.at = world.now + Duration::from_millis(world.below(800));
            world.server.late.push(wire.clone());
        }
        let (what, class, outcome) = match fate {
            Fate::Lands => return Ok(()),
            Fate::LandsAndTheReplyIsLost => ("write's reply lost", Class::Remote, Outcome::Unknown),
            Fate::IsLost | Fate::LandsLate => ("write lost", Class::Remote, Outcome::Unknown),
            Fate::IsRefused => ("write refused", Class::Remote, Outcome::NotWritten),
            Fate::IsRefusedForGood => {
                ("write for good refused", Class::Config, Outcome::NotWritten)
            }
        };
        world.see(what);
        if outcome == Outcome::Unknown {
            *world.server.unknown.entry(wire.token.clone()).or_insert(0) += 1;
            world
                .server
                .held
                .insert((wire.process, wire.group, wire.token), wire.replica);
        }
        Err(WriteError { class, outcome, code: None, text: what.to_owned(), hint: String::new() })
    }
}

impl Drop for OnWire {
    fn drop(&mut self) {
        let Some(mut wire) = self.wire.take() else { return };
        let mut world = self.world.lock();
        world.is_written(&wire);
        if let Some(after) = self.lands_unheard {
            wire.at = world.now + after;
            world.server.late.push(wire);
        }
    }
}
