//! One pipeline and its two ends, for one test.

use std::cell::RefCell;
use std::sync::Arc;

use spate_runtime::config::{Config, ConfigErrors, Schema, Section};
use spate_runtime::connector::SourceConnector;
use spate_runtime::error::SourceError;
use spate_runtime::graph::Graph;
use spate_runtime::id::{SinkId, SourceId};
use spate_runtime::lane::source::Source;
use spate_runtime::pipeline::report::Report;
use spate_runtime::pipeline::{Assembler, Definition, Ended, Plan, Running, Target};
use spate_runtime::sink::{Sink, SinkConnector};

use crate::chain::{Eight, GRAPH, Keep, Number};
use crate::sink::Server;
use crate::source::{Event, Logs, MemorySource};

thread_local! {
    static WORLD: RefCell<Option<(Logs, Server)>> = const { RefCell::new(None) };
}

pub(crate) struct Memory(Logs);

static SCHEMA: Schema = Schema { kind: "Memory", keys: &[] };

impl SourceConnector for Memory {
    type Format = ();
    const SCHEMA: &'static Schema = &SCHEMA;

    fn from_section(_: &Section<'_>) -> Result<Self, ConfigErrors> {
        Ok(Self(WORLD.with_borrow(|world| world.as_ref().unwrap().0.clone())))
    }

    fn into_source(self) -> Result<Box<dyn Source>, SourceError> {
        Ok(Box::new(MemorySource(self.0)))
    }
}

pub(crate) struct Table(Server);

impl SinkConnector for Table {
    type Row = Number;
    type Encoder = Eight;
    const SCHEMA: &'static Schema = &SCHEMA;

    fn from_section(_: &Section<'_>) -> Result<Self, ConfigErrors> {
        Ok(Self(WORLD.with_borrow(|world| world.as_ref().unwrap().1.clone())))
    }

    fn into_sink(self) -> Arc<dyn Sink> {
        Arc::new(self.0)
    }
}

pub(crate) struct Numbers;

impl Definition for Numbers {
    const GRAPH: &'static Graph = &GRAPH;
    const CONFIG: Option<(&'static str, &'static str)> = None;

    fn assemble(assembler: &mut Assembler<'_>) {
        assembler.source::<Memory>(SourceId(0));
        assembler.sink::<Table>(SinkId(0));
        assembler.chain::<Keep>(0);
    }
}

/// Both ends of a pipeline, before and while it runs.
pub(crate) struct World {
    pub(crate) logs: Logs,
    pub(crate) server: Server,
    pub(crate) settings: String,
}

impl World {
    /// `partitions` logs of the numbers 0 to `count` each (exclusive), all assigned at start.
    pub(crate) fn new(partitions: u32, count: u64) -> Self {
        Self::sharded(partitions, count, 1)
    }

    pub(crate) fn sharded(partitions: u32, count: u64, shards: usize) -> Self {
        let logs = Logs::default();
        for partition in 0..partitions {
            let base = u64::from(partition) * 1_000_000;
            logs.append(partition, base..base + count);
        }
        let settings = "pipeline: { threads: 2, pin: off, admin: off, commit_interval: 10ms }\n\
                        out: { linger: 20ms, retry_base: 1ms, retry_cap: 5ms }\n";
        Self { logs, server: Server::new(shards), settings: settings.to_owned() }
    }

    /// Assembles `D` with these ends.
    pub(crate) fn assemble<D: Definition>(&self) -> Result<Plan, ConfigErrors> {
        WORLD.set(Some((self.logs.clone(), self.server.clone())));
        let config = Config::parse("test.yaml", &self.settings, &|_| None).unwrap();
        Plan::assemble::<D>(&config, Target::Declared)
    }

    /// Starts the pipeline and assigns the partitions.
    pub(crate) fn start(&self, partitions: &[u32]) -> Running {
        self.start_as::<Numbers>(partitions)
    }

    /// The same as another pipeline with these ends.
    pub(crate) fn start_as<D: Definition>(&self, partitions: &[u32]) -> Running {
        let running = self
            .assemble::<D>()
            .unwrap_or_else(|errors| panic!("{errors}"))
            .start()
            .unwrap();
        self.logs.tell(Event::Assign(partitions.to_vec()));
        running
    }

    /// Lets the source end and waits for the pipeline.
    pub(crate) fn run_to_end(&self, partitions: &[u32]) -> Ended {
        let running = self.start(partitions);
        self.logs.end();
        running.wait()
    }
}

/// The odd numbers of `partitions` logs of `count` numbers each, sorted.
pub(crate) fn odd(partitions: u32, count: u64) -> Vec<u64> {
    (0..partitions)
        .flat_map(|partition| {
            let base = u64::from(partition) * 1_000_000;
            (base..base + count).filter(|number| number % 2 == 1)
        })
        .collect()
}

/// Checks that every record and every row is accounted for.
pub(crate) fn assert_balanced(ended: &Ended) {
    let report = Report::of(ended);
    assert_eq!(report.balance(), Ok(()), "{report}");
    assert_eq!(ended.status.pool.in_flight(), 0, "frames are left");
}

/// Compares rows and shows where they differ first, not all of them.
pub(crate) fn assert_same(rows: &[u64], expected: &[u64]) {
    let differ = rows
        .iter()
        .zip(expected)
        .position(|(row, expected)| row != expected);
    assert!(
        rows == expected,
        "{} rows, expected {}; they differ first at {differ:?}",
        rows.len(),
        expected.len()
    );
}
