//! The whole engine over arenas: a lane thread per lane, writers, ledger and commits, with a source
//! that reads memory and a sink that discards what it is given.
//!
//! Both are connectors as a third party would write them.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use spate_runtime::chain::row::Row;
use spate_runtime::config::{ConfigErrors, Key, Schema, Section, Type};
use spate_runtime::connector::SourceConnector;
use spate_runtime::error::SourceError;
use spate_runtime::id::{NextOffset, Partition, ReplicaId, ShardId};
use spate_runtime::lane::source::{Assigned, Commit, LogEnd, Source, SourceEvent};
use spate_runtime::preflight::Findings;
use spate_runtime::sink::{BoxFuture, Layout, SealedBatch, Sink, SinkConnector, WriteError};

use spate::prelude::ClickHouse;

use crate::arena::{Arena, ArenaLane, FILL};

/// What the next pipeline of this thread reads and writes.
#[derive(Clone, Debug)]
pub struct Ends {
    /// One partition each.
    pub arenas: Vec<Arc<Arena>>,
    /// Shards of every sink.
    pub shards: usize,
}

thread_local! {
    static ENDS: RefCell<Option<Ends>> = const { RefCell::new(None) };
}

/// Runs `pipeline` between `ends`; its configuration names no ends. Returns the rows.
///
/// # Panics
///
/// If the configuration is wrong, or the run fails or does not balance.
pub fn run(pipeline: &spate::Pipeline, ends: Ends) -> u64 {
    try_run(pipeline, ends).expect("the configuration is right")
}

/// As [`run`]; `None` if the configuration is refused.
///
/// # Panics
///
/// If the run fails or does not balance.
pub fn try_run(pipeline: &spate::Pipeline, ends: Ends) -> Option<u64> {
    ENDS.set(Some(ends));
    let report = pipeline.start().ok()?.wait();
    assert!(report.exit_code() == 0 && report.balance().is_ok(), "{report}");
    Some(report.snapshot.sinks.iter().map(|sink| sink.durable).sum())
}

const READS: Schema = Schema {
    kind: "Memory",
    keys: &[Key::new(
        "batch_max",
        Type::Integer { min: 1, max: 1 << 20 },
        "payloads a lane takes at once at most",
    )
    .or("1024")],
};

const WRITES: Schema = Schema { kind: "Memory", keys: &[] };

fn ends() -> Ends {
    ENDS.with_borrow(|ends| ends.clone().expect("`run` sets them before it assembles"))
}

/// A source of arenas.
#[derive(Debug)]
pub struct Arenas<F> {
    arenas: Vec<Arc<Arena>>,
    fill: usize,
    format: PhantomData<fn() -> F>,
}

impl<F: 'static> SourceConnector for Arenas<F> {
    type Format = F;
    const SCHEMA: &'static Schema = &READS;

    fn from_section(section: &Section<'_>) -> Result<Self, ConfigErrors> {
        let fill = usize::try_from(section.integer("batch_max")).unwrap_or(FILL);
        Ok(Self { arenas: ends().arenas, fill, format: PhantomData })
    }

    fn into_source(self) -> Result<Box<dyn Source>, SourceError> {
        Ok(Box::new(Memory { arenas: self.arenas, fill: self.fill, told: 0 }))
    }
}

/// Assigns every arena at once, then ends.
struct Memory {
    arenas: Vec<Arc<Arena>>,
    fill: usize,
    told: usize,
}

impl Source for Memory {
    fn check(&mut self) -> Findings {
        Findings::default()
    }

    fn start(&mut self) -> Result<(), SourceError> {
        Ok(())
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<SourceEvent>, SourceError> {
        self.told += 1;
        Ok(match self.told {
            1 => {
                let assigned = |(id, arena): (u32, &Arc<Arena>)| {
                    let partition = Partition::new("arena", id);
                    let lane = ArenaLane::new(Arc::clone(arena), partition.clone());
                    let lane = Box::new(lane.with_fill(self.fill));
                    Assigned { partition, start: NextOffset(0), note: None, lane }
                };
                Some(SourceEvent::Assigned((0..).zip(&self.arenas).map(assigned).collect()))
            }
            2 => Some(SourceEvent::Ended),
            _ => {
                std::thread::park_timeout(wait);
                None
            }
        })
    }

    fn commit(&mut self, _: &[Commit]) -> Result<(), SourceError> {
        Ok(())
    }

    fn released(&mut self, _: &[Partition]) {}

    fn set_paused(&mut self, _: &Partition, _: bool) {}

    fn log_ends(&mut self) -> Vec<LogEnd> {
        Vec::new()
    }

    fn close(&mut self) {}
}

/// A sink that takes everything and keeps nothing, encoded as ClickHouse has it.
#[derive(Debug)]
pub struct Discarded<R> {
    shards: usize,
    row: PhantomData<fn() -> R>,
}

impl<R: Row + 'static> SinkConnector for Discarded<R> {
    type Row = R;
    type Encoder = <ClickHouse<R> as SinkConnector>::Encoder;
    const SCHEMA: &'static Schema = &WRITES;

    fn from_section(_: &Section<'_>) -> Result<Self, ConfigErrors> {
        Ok(Self { shards: ends().shards, row: PhantomData })
    }

    fn into_sink(self) -> Arc<dyn Sink> {
        Arc::new(Nowhere { shards: self.shards })
    }
}

struct Nowhere {
    shards: usize,
}

impl Sink for Nowhere {
    fn layout(&self) -> Layout {
        Layout { replicas: vec![1; self.shards], deduplicates: true, replicas_share_tokens: false }
    }

    fn check(&self) -> BoxFuture<'_, Findings> {
        Box::pin(std::future::ready(Findings::default()))
    }

    fn probe(&self, _: ShardId, _: ReplicaId) -> BoxFuture<'_, Result<(), WriteError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn write(
        &self,
        _: ShardId,
        _: ReplicaId,
        batch: Arc<SealedBatch>,
    ) -> BoxFuture<'_, Result<(), WriteError>> {
        batch.chunks().for_each(|chunk| {
            std::hint::black_box(chunk);
        });
        Box::pin(std::future::ready(Ok(())))
    }
}
