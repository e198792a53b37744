//! A pipeline under test: its real parts on a virtual clock, with ends made of memory.
//!
//! Controller, lanes, ports, queues, batchers, writers and ledgers are the real ones, turned by one
//! thread ([`Stepped`](crate::pipeline)); sources and sinks are a [`World`] in memory that outlives
//! processes, so that a crash can be told from an end. The facade's `test` module is what an
//! application sees of it.
//!
//! ```text
//! run      everything that can happen at this moment of virtual time; it stands still
//! advance  the same, from moment to moment, for so long
//! settle   the same, until everything read is durable and committed
//! ```
//!
//! Deterministic: one order of turns, seeds that are constants, incarnations made of names.

mod sink;
mod source;
mod world;

use std::sync::Arc as StdArc;
use std::time::{Duration, Instant};

pub use world::{Answer, Committed, Stored, World, Written};

use crate::chain::skip_log::{Skipped, Skips};
use crate::clock::Clock;
use crate::config::check::Purpose;
use crate::config::{Config, ConfigErrors, Pin, PipelineSettings, SINK_KEYS, SinkSettings};
use crate::graph::Graph;
use crate::id::Partition;
use crate::lookup::{AnyCell, Lookup, LookupCell};
use crate::pipeline::plan::sections_of;
use crate::pipeline::report::{LaneCounts, Report, Snapshot};
use crate::pipeline::status::Status;
use crate::pipeline::{Assembler, Definition, Plan, Stepped, Target};
use crate::preflight::Findings;
use crate::sync::Ordering;
use source::MemorySource;
use world::Shared;

/// The longest step of virtual time while something is on its way, and while nothing is.
const STEP: Duration = Duration::from_millis(50);
const STEP_IDLE: Duration = Duration::from_secs(1);

/// Virtual time after which a pipeline that has not settled is stuck.
pub const PATIENCE: Duration = Duration::from_secs(3600);

/// Turns of everything that change nothing, after which nothing is left to do at this moment.
const STILL: usize = 3;

/// A pipeline under test.
pub struct Harness {
    graph: &'static Graph,
    config: Config,
    chains: fn(&mut Assembler<'_>),
    world: Shared,
    clock: Clock,
    started: Instant,
    process: Option<Stepped>,
    ended: Option<Report>,
    /// Shape `[sink]`: what was written, in order.
    written: Vec<Vec<Written>>,
    skips: Skips,
    /// Shape `[lookup]`: they outlive processes, for it is the test that sets them.
    lookups: Vec<StdArc<dyn AnyCell>>,
}

/// It did not settle: what it waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stuck(pub String);

impl std::fmt::Debug for Harness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Harness")
            .field("pipeline", &self.graph.pipeline)
            .field("elapsed", &self.elapsed())
            .field("world", &*self.world.lock())
            .field("ended", &self.ended.as_ref().map(|report| report.outcome))
            .finish_non_exhaustive()
    }
}

impl Harness {
    /// Makes a test of `D`; its first step starts it.
    ///
    /// The engine's settings are those of the configuration compiled in, without its variables;
    /// whatever the connectors are set to does not count.
    ///
    /// # Errors
    ///
    /// A configuration that cannot be read.
    pub fn new<D: Definition>() -> Result<Self, ConfigErrors> {
        let config = match D::CONFIG {
            None => Config::empty(),
            Some((name, text)) => Config::parse(name, text, &|_| None)?,
        };
        let clock = Clock::manual();
        let mut assembler = Assembler::new(D::GRAPH, &config, Target::Bare);
        D::captured(&mut assembler);
        let loaders = assembler.lookups.into_iter().flatten();
        let lookups = loaders.map(|loader| loader.cell).collect();
        Ok(Self {
            lookups,
            graph: D::GRAPH,
            config: engine_settings(&config, D::GRAPH),
            chains: D::captured,
            world: Shared::new(World::of(D::GRAPH)),
            started: clock.now(),
            clock,
            process: None,
            ended: None,
            written: D::GRAPH.sinks.iter().map(|_| Vec::new()).collect(),
            skips: Skips::default(),
        })
    }

    /// Replaces the sections that `text` has; before the first step.
    ///
    /// # Errors
    ///
    /// What is no YAML.
    pub fn configure(&mut self, text: &str) -> Result<(), ConfigErrors> {
        let config = Config::parse("this test's settings", text, &|_| None)?;
        self.config = config.over(&self.config);
        Ok(())
    }

    /// The topology.
    #[must_use]
    pub const fn graph(&self) -> &'static Graph {
        self.graph
    }

    /// Looks at the ends, or changes them.
    pub fn world<T>(&self, look: impl FnOnce(&mut World) -> T) -> T {
        look(&mut self.world.lock())
    }

    /// Virtual time since the beginning.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.clock.now().duration_since(self.started)
    }

    /// Whether a process was started and has not ended.
    #[must_use]
    pub const fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// How it ended, if it has.
    #[must_use]
    pub const fn ended(&self) -> Option<&Report> {
        self.ended.as_ref()
    }

    /// What was written to a sink, in the order it landed.
    #[must_use]
    pub fn written(&self, sink: usize) -> &[Written] {
        self.written.get(sink).map_or(&[], Vec::as_slice)
    }

    /// The records that `or_skip` skipped, in order, over all processes.
    #[must_use]
    pub fn skips(&self) -> Vec<Skipped> {
        self.skips.list()
    }

    /// All counts of this process at this moment, of the last one if it has ended; `None` before
    /// the first step.
    #[must_use]
    pub fn snapshot(&self) -> Option<Snapshot> {
        match (&self.ended, &self.process) {
            (Some(report), _) => Some(report.snapshot.clone()),
            (None, Some(process)) => Some(Snapshot::of(process.status())),
            (None, None) => None,
        }
    }

    /// Sets what a lookup holds; lanes see it from their next batch on.
    ///
    /// # Panics
    ///
    /// If there is no such lookup, or it is one of other types.
    pub fn set_lookup<K, V>(&self, lookup: usize, snapshot: Lookup<K, V>)
    where
        K: Send + Sync + 'static,
        V: Send + Sync + 'static,
    {
        let cell = StdArc::clone(&self.lookups[lookup]);
        let cell = cell.into_any().downcast::<LookupCell<K, V>>();
        cell.expect("a lookup of these types")
            .store(snapshot, self.clock.now());
    }

    /// Where the lane of a partition stands; `None` if there is none now.
    #[must_use]
    pub fn lane(&self, source: usize, partition: &Partition) -> Option<LaneCounts> {
        let lanes = self.process.as_ref()?.status().lanes();
        let lane = lanes
            .iter()
            .find(|lane| lane.source == source && lane.shared.partition == *partition)?;
        Some(LaneCounts::from(lane))
    }

    /// Starts a process, unless one runs or has ended.
    ///
    /// # Errors
    ///
    /// Settings that are wrong.
    pub fn start(&mut self) -> Result<(), ConfigErrors> {
        if self.process.is_none() && self.ended.is_none() {
            self.start_anew()?;
        }
        Ok(())
    }

    /// Starts a process; one that still runs ends as by `kill -9`.
    ///
    /// # Errors
    ///
    /// Settings that are wrong.
    pub fn start_anew(&mut self) -> Result<(), ConfigErrors> {
        self.crash();
        self.ended = None;
        let plan = self.plan()?;
        let seed = self.world(World::born) * 1000;
        self.process = Some(Stepped::start(plan, seed));
        Ok(())
    }

    /// Ends the process as `kill -9` does, if one runs: what it held is gone, what was written and
    /// committed stays.
    pub fn crash(&mut self) {
        drop(self.process.take());
        self.world(World::left);
        self.collect();
    }

    /// Asks for a drain.
    pub fn begin_drain(&self) {
        if let Some(process) = &self.process {
            process.drain();
        }
    }

    /// Does everything that can be done at this moment of virtual time.
    ///
    /// # Errors
    ///
    /// Settings that are wrong.
    pub fn run(&mut self) -> Result<(), ConfigErrors> {
        self.start()?;
        let mut still = 0;
        let mut before = self.mark();
        while still < STILL {
            let Some(process) = &mut self.process else { break };
            if process.turn_controller() {
                self.end();
                break;
            }
            let mut moved = false;
            for lanes in 0..process.lanes() {
                while process.turn_lanes(lanes) {
                    moved = true;
                }
            }
            process.turn_io();
            let now = self.mark();
            still = if moved || now != before { 0 } else { still + 1 };
            before = now;
        }
        self.collect();
        Ok(())
    }

    /// Lets so much virtual time pass, from moment to moment.
    ///
    /// # Errors
    ///
    /// Settings that are wrong.
    pub fn advance(&mut self, time: Duration) -> Result<(), ConfigErrors> {
        let until = self.clock.now() + time;
        self.run()?;
        while self.clock.now() < until && self.process.is_some() {
            self.step(until);
            self.run()?;
        }
        self.clock
            .advance(until.saturating_duration_since(self.clock.now()));
        Ok(())
    }

    /// Lets time pass until everything is read, durable and committed, or the pipeline has ended;
    /// [`Stuck`] when [`PATIENCE`] does not do.
    ///
    /// # Errors
    ///
    /// Settings that are wrong.
    pub fn settle(&mut self) -> Result<Result<(), Stuck>, ConfigErrors> {
        self.until(|harness| harness.unsettled().is_none())
    }

    /// Lets time pass until the pipeline has ended.
    ///
    /// # Errors
    ///
    /// Settings that are wrong.
    pub fn until_ended(&mut self) -> Result<Result<(), Stuck>, ConfigErrors> {
        self.until(|_| false)
    }

    fn until(
        &mut self,
        is_done: impl Fn(&Self) -> bool,
    ) -> Result<Result<(), Stuck>, ConfigErrors> {
        let until = self.clock.now() + PATIENCE;
        self.run()?;
        while self.process.is_some() && !is_done(self) {
            if self.clock.now() >= until {
                let waits = self.unsettled().unwrap_or_else(|| "for a drain".to_owned());
                return Ok(Err(Stuck(waits)));
            }
            self.step(until);
            self.run()?;
        }
        Ok(Ok(()))
    }

    /// Moves the clock to the next moment at which something may happen.
    fn step(&self, until: Instant) {
        let Some(process) = &self.process else { return };
        let now = self.clock.now();
        let is_busy = process.status().pool.in_flight() > 0 || process.is_leaving();
        let most = (now + if is_busy { STEP } else { STEP_IDLE }).min(until);
        let next = self.clock.next_due().map_or(most, |due| due.min(most));
        process.pass(
            next.saturating_duration_since(now)
                .max(Duration::from_micros(1)),
        );
    }

    /// Numbers that change when anything happens.
    fn mark(&self) -> (u64, usize, usize, u64) {
        let acts = self.world(|world| world.acts());
        let Some(process) = &self.process else { return (acts, 0, 0, 0) };
        let status = process.status();
        let lanes = status.lanes();
        let unresolved = lanes.iter().map(|lane| lane.shared.unresolved()).sum();
        let rows = status.sinks.iter().map(|sink| {
            let of = |count: &crate::sync::AtomicU64| count.load(Ordering::Relaxed);
            of(&sink.shared.pushed) + of(&sink.shared.durable) + of(&sink.shared.abandoned)
        });
        (acts, lanes.len(), unresolved, rows.sum())
    }

    /// What keeps the pipeline from being settled, if anything does.
    fn unsettled(&self) -> Option<String> {
        let process = self.process.as_ref()?;
        if process.is_leaving() || self.world(|world| world.has_events()) {
            return Some("for partitions to come or to go".to_owned());
        }
        let status: &Status = process.status();
        let trouble = || {
            let sinks = status.sinks.iter().flat_map(|sink| {
                let named = |error| format!("sink `{}` answers: {error}", sink.shared.name);
                sink.shards
                    .iter()
                    .filter_map(move |shard| shard.last_error().map(named))
            });
            sinks
                .map(|trouble| format!("; {trouble}"))
                .next()
                .unwrap_or_default()
        };
        let world = self.world.lock();
        for lane in status.lanes() {
            let shared = &lane.shared;
            let (partition, position) = (&shared.partition, shared.position().0);
            let end = world.end_of(lane.source, partition);
            let waits = if position < end {
                format!("for {partition} to be read: it stands at {position} of {end}")
            } else if shared.unresolved() > 0 {
                let unresolved = shared.unresolved();
                format!("for {unresolved} frames of {partition} to become durable")
            } else if lane.committed != Some(shared.watermark()) {
                format!("for the commit of {partition} at {}", shared.watermark())
            } else {
                continue;
            };
            return Some(waits + &trouble());
        }
        None
    }

    fn plan(&self) -> Result<Plan, ConfigErrors> {
        let mut assembler = Assembler::new(self.graph, &self.config, Target::Bare);
        (self.chains)(&mut assembler);
        let chains = assembler.chains.into_iter().flatten().collect();
        let loaders = assembler.lookups.into_iter().flatten();
        let lookups = loaders.zip(&self.lookups).map(|(mut loader, cell)| {
            loader.cell = StdArc::clone(cell);
            loader
        });
        let lookups = lookups.collect();
        let mut errors = ConfigErrors::default();
        let settings = errors.collect(PipelineSettings::from_config(&self.config));
        let sinks = self
            .graph
            .sinks
            .iter()
            .enumerate()
            .filter_map(|(index, node)| {
                let section = self.config.section(node.name, &[SINK_KEYS]);
                let settings = section.map(|section| SinkSettings::from_section(&section));
                Some((sink::made(&self.world, index, &self.clock), errors.collect(settings)?))
            });
        let sinks = sinks.collect();
        errors.or_ok(())?;
        let settings = settings.expect("collected without an error");
        let sources = self.graph.sources.iter().enumerate();
        let mut plan = Plan {
            graph: self.graph,
            settings: PipelineSettings { threads: 1, pin: Pin::Off, admin: None, ..settings },
            sources: sources
                .map(|(index, _)| MemorySource::boxed(&self.world, index))
                .collect(),
            sinks,
            lookups,
            chains,
            clock: self.clock.clone(),
            warnings: Findings::default(),
            skips: Some(self.skips.clone()),
        };
        plan.fit(&self.config, sections_of(self.graph), Purpose::Declared)?;
        Ok(plan)
    }

    fn end(&mut self) {
        let Some(process) = self.process.take() else { return };
        let report = Report::of(&process.end());
        self.world(World::left);
        if let Err(broken) = report.balance() {
            panic!("the counts do not balance, a bug of spate: {broken:?}");
        }
        self.ended = Some(report);
    }

    /// Takes what was written into the harness, where rows can be borrowed from it.
    fn collect(&mut self) {
        let mut world = self.world.lock();
        for (sink, written) in self.written.iter_mut().enumerate() {
            written.append(&mut world.take_written(sink));
        }
    }
}

/// The part of a configuration that the engine reads: `pipeline`, and the sinks' common keys.
fn engine_settings(config: &Config, graph: &Graph) -> Config {
    let sinks: Vec<&str> = graph.sinks.iter().map(|sink| sink.name).collect();
    config.only(|section, key| {
        let common = || SINK_KEYS.iter().any(|own| own.name == key);
        section == "pipeline" || (sinks.contains(&section) && common())
    })
}
