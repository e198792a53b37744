//! A plan: everything a run is made of, checked and ready to start.

use std::sync::Arc as StdArc;
use std::sync::mpsc;
use std::time::Duration;

use super::controller::{Controller, ControllerParts, Requests};
use super::definition::{Assembler, BuildChain, Definition, Target};
use super::running::Running;
use super::status::{Phase, SharedStatus, SinkView, State, Status};
use crate::chain::pool::Pool;
use crate::chain::port::SinkShared;
use crate::chain::skip_log::Skips;
use crate::chain::tally::ChainCounters;
use crate::clock::Clock;
use crate::config::check::{Expected, PIPELINE_SECTION, Purpose, Role};
use crate::config::{
    Config, ConfigErrors, PIPELINE_KEYS, PipelineSettings, SINK_KEYS, SinkSettings,
};
use crate::graph::Graph;
use crate::id::{ShardId, SinkId};
use crate::lane::source::Source;
use crate::lane::thread::{LaneThread, LaneThreadParts};
use crate::lookup::{Loader, load_once};
use crate::metrics::Metrics;
use crate::preflight::Findings;
use crate::queue::ShardQueue;
use crate::sink::Sink;
use crate::sink::batcher::Limits;
use crate::sink::retry::Backoff;
use crate::sink::worker::{WriterParts, WriterSignal};
use crate::sync::{Arc, AtomicU64, Mutex};

/// A pipeline assembled for one run.
pub struct Plan {
    pub(crate) graph: &'static Graph,
    pub(crate) settings: PipelineSettings,
    /// Shape `[source]`.
    pub(crate) sources: Vec<Box<dyn Source>>,
    /// Shape `[sink]`.
    pub(crate) sinks: Vec<(StdArc<dyn Sink>, SinkSettings)>,
    /// Shape `[lookup]`.
    pub(crate) lookups: Vec<Loader>,
    /// Shape `[chain]`.
    pub(crate) chains: Vec<BuildChain>,
    pub(crate) clock: Clock,
    /// What the configuration says that is right and should be read all the same.
    pub(crate) warnings: Findings,
    /// Who hears of every skipped record: a test, or nobody.
    pub(crate) skips: Option<Skips>,
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plan")
            .field("pipeline", &self.graph.pipeline)
            .finish_non_exhaustive()
    }
}

/// A pipeline could not be started.
#[derive(Debug, thiserror::Error)]
#[error("could not start the {what}")]
pub struct StartError {
    what: &'static str,
    #[source]
    source: std::io::Error,
}

impl Plan {
    /// Assembles `D` from `config`; touches nothing outside.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the configuration, in the order of the declarations.
    ///
    /// # Panics
    ///
    /// INV-M3: if the generated assembly leaves out a source, a sink, a lookup or a chain.
    pub fn assemble<D: Definition>(
        config: &Config,
        target: Target<'_>,
    ) -> Result<Self, ConfigErrors> {
        let sections = sections::<D>();
        let mut errors = if D::SECTIONS.is_empty() {
            let names: Vec<&str> = sections.iter().map(|section| section.name).collect();
            config.check_names(&names)
        } else {
            config.check(&sections, target.purpose())
        };
        let mut assembler = Assembler::new(D::GRAPH, config, target);
        D::assemble(&mut assembler);
        let settings = PipelineSettings::from_config(config);
        let settings = assembler.errors.collect(settings);
        // What the connectors say beside what the check said of their sections already.
        for error in assembler.errors.0 {
            if !errors.0.contains(&error) {
                errors.0.push(error);
            }
        }
        let warnings = assembler.warnings;
        let sources: Vec<_> = assembler.sources.into_iter().flatten().collect();
        let sinks: Vec<_> = assembler.sinks.into_iter().flatten().collect();
        let lookups: Vec<_> = assembler.lookups.into_iter().flatten().collect();
        let chains: Vec<_> = assembler.chains.into_iter().flatten().collect();
        let Some(settings) = settings.filter(|_| errors.is_empty()) else { return Err(errors) };
        assert!(
            sources.len() == D::GRAPH.sources.len()
                && sinks.len() == D::GRAPH.sinks.len()
                && lookups.len() == D::GRAPH.lookups.len()
                && chains.len() == D::GRAPH.chains.len(),
            "INV-M3: the generated assembly leaves out a source, a sink, a lookup or a chain"
        );
        let mut plan = Self {
            graph: D::GRAPH,
            settings,
            sources,
            sinks,
            lookups,
            chains,
            clock: Clock::real(),
            warnings,
            skips: None,
        };
        plan.fit(config, sections, target.purpose())?;
        Ok(plan)
    }

    /// Holds the settings against each other once more, with what only the process and its
    /// connectors know: cores, layouts, session timeouts.
    pub(crate) fn fit(
        &mut self,
        config: &Config,
        mut sections: Vec<Expected<'static>>,
        purpose: Purpose,
    ) -> Result<(), ConfigErrors> {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let mut sources = self.sources.iter();
        let mut sinks = self.sinks.iter();
        for section in &mut sections {
            match &mut section.role {
                Role::Pipeline { threads } => *threads = Some(self.settings.threads as u64),
                Role::Source { session } => {
                    let source = sources.next();
                    *session = source
                        .and_then(|source| source.session_timeout())
                        .map(micros);
                }
                Role::Sink { layout, .. } => {
                    *layout = sinks.next().map(|(sink, _)| {
                        let known = sink.layout();
                        (known.replicas.len() as u64, known.deduplicates)
                    });
                }
                Role::Own => drop(sources.next()),
            }
        }
        let batch_bytes = config.fit(&sections, purpose, self.settings.memory)?;
        for ((_, settings), bytes) in self.sinks.iter_mut().zip(batch_bytes) {
            settings.batch_bytes = bytes;
        }
        Ok(())
    }

    /// The settings of the `pipeline` section.
    #[must_use]
    pub const fn settings(&self) -> &PipelineSettings {
        &self.settings
    }

    /// Looks at the world without reading a record or writing a row; waits for every answer.
    ///
    /// # Errors
    ///
    /// When the I/O runtime cannot be started.
    pub fn check(&mut self) -> Result<Findings, StartError> {
        let io = io_runtime()?;
        let sinks = self
            .sinks
            .iter()
            .map(|(sink, _)| StdArc::clone(sink))
            .collect();
        let mut findings = self.warnings.clone();
        findings
            .0
            .append(&mut check(&io, &mut self.sources, sinks).0);
        findings
            .0
            .append(&mut load(&io, &self.lookups, &self.clock).0);
        // A loader that blocks and never returns is not waited for.
        io.shutdown_background();
        Ok(findings)
    }

    /// Starts the pipeline and returns at once; the preflight is the controller's first act.
    ///
    /// # Errors
    ///
    /// When the system has no thread to give.
    pub fn start(self) -> Result<Running, StartError> {
        for warning in &self.warnings.0 {
            tracing::warn!(code = warning.code, help = warning.help, "{}", warning.text);
        }
        let (controller, requests) = self.controller(io_runtime()?, LaneThread::start)?;
        let status = StdArc::clone(controller.status());
        let thread = std::thread::Builder::new()
            .name("spate-control".to_owned())
            .spawn(move || controller.run())
            .map_err(|source| StartError { what: "controller thread", source })?;
        Ok(Running::new(thread, requests, status))
    }

    /// Puts everything together: writers and controller to be run, lane threads as `start_lanes`
    /// makes them.
    pub(super) fn controller(
        self,
        io: tokio::runtime::Runtime,
        mut start_lanes: impl FnMut(LaneThreadParts) -> std::io::Result<LaneThread>,
    ) -> Result<(Controller, StdArc<Requests>), StartError> {
        let pool = Pool::new(usize::try_from(self.settings.memory).unwrap_or(usize::MAX));
        let (failures, sink_failures) = mpsc::channel();
        let mut signals: Vec<Arc<WriterSignal>> = Vec::new();
        let mut writers = Vec::new();
        let mut views = Vec::new();
        for (index, (sink, settings)) in self.sinks.iter().enumerate() {
            let shards = sink.layout().replicas.len();
            let shared = Arc::new(SinkShared {
                sink: SinkId(index),
                name: self.graph.sinks[index].name,
                queues: (0..shards)
                    .map(|_| ShardQueue::new(settings.queue_frames))
                    .collect(),
                route: settings.route,
                frame_bytes: settings.frame_bytes,
                linger: settings.linger,
                by_lane: sink.layout().deduplicates,
                pool: Arc::clone(&pool),
                pushed: AtomicU64::new(0),
                cut: AtomicU64::new(0),
                abandoned: AtomicU64::new(0),
                durable: AtomicU64::new(0),
            });
            let statuses: Vec<_> = (0..shards).map(|_| Arc::default()).collect();
            for (shard, status) in statuses.iter().enumerate() {
                let signal: Arc<WriterSignal> = Arc::default();
                writers.push(WriterParts {
                    pipeline: self.graph.pipeline,
                    shared: Arc::clone(&shared),
                    shard: ShardId(shard),
                    sink: StdArc::clone(sink),
                    limits: Limits {
                        rows: settings.batch_rows,
                        bytes: settings.batch_bytes,
                        linger: settings.linger,
                    },
                    max_inflight: settings.max_inflight,
                    backoff: Backoff { base: settings.retry_base, cap: settings.retry_cap },
                    seed: super::random_u64(),
                    signal: Arc::clone(&signal),
                    status: Arc::clone(status),
                    failures: failures.clone(),
                    clock: self.clock.clone(),
                });
                signals.push(signal);
            }
            views.push(SinkView { shared, shards: statuses });
        }
        let signals: StdArc<[Arc<WriterSignal>]> = signals.into();
        let (events, lane_events) = mpsc::channel();
        let cores = super::pin::cores(&self.settings.pin, self.settings.threads);
        let mut threads = Vec::new();
        for index in 0..self.settings.threads {
            let thread = start_lanes(LaneThreadParts {
                index,
                core: cores.get(index).copied(),
                events: events.clone(),
                pool: Arc::clone(&pool),
                writers: StdArc::clone(&signals),
                clock: self.clock.clone(),
            });
            threads.push(thread.map_err(|source| StartError { what: "lane threads", source })?);
        }
        let status: SharedStatus = StdArc::new(Status {
            graph: self.graph,
            chains: self
                .graph
                .chains
                .iter()
                .map(|chain| Arc::new(ChainCounters::new(chain.stages.len())))
                .collect(),
            sinks: views,
            lookups: self
                .lookups
                .iter()
                .map(|loader| StdArc::clone(&loader.cell))
                .collect(),
            pool: Arc::clone(&pool),
            lane_slots: threads.iter().map(|thread| thread.slot().clone()).collect(),
            commits: AtomicU64::new(0),
            commits_refused: AtomicU64::new(0),
            assigned: AtomicU64::new(0),
            revoked: AtomicU64::new(0),
            started: self.clock.now(),
            clock: self.clock.clone(),
            metrics: Metrics::register(self.graph),
            state: Mutex::new(State {
                phase: Phase::Starting,
                lanes: std::collections::BTreeMap::new(),
                ended: Vec::new(),
                assignments: vec![false; self.graph.sources.len()],
                failures: Vec::new(),
                stall: None,
            }),
        });
        let requests = StdArc::new(Requests::default());
        let controller = Controller::new(ControllerParts {
            graph: self.graph,
            settings: self.settings,
            sources: self.sources,
            chains: self.chains,
            lookups: self.lookups,
            io,
            writers,
            signals,
            threads,
            lane_events,
            sink_failures,
            requests: StdArc::clone(&requests),
            status,
            clock: self.clock,
            skips: self.skips,
        });
        Ok((controller, requests))
    }
}

/// The sections of `D`: as its macro says, or what its graph says of one that was made by hand.
fn sections<D: Definition>() -> Vec<Expected<'static>> {
    if !D::SECTIONS.is_empty() {
        return D::SECTIONS.to_vec();
    }
    sections_of(D::GRAPH)
}

/// The sections of a pipeline as far as its graph and the engine know them.
pub(crate) fn sections_of(graph: &Graph) -> Vec<Expected<'static>> {
    let sources = graph.sources.iter();
    let sources = sources.map(|node| Expected { name: node.name, keys: &[], role: Role::Own });
    let sinks = graph.sinks.iter().map(|node| Expected {
        name: node.name,
        keys: &[SINK_KEYS],
        role: Role::Sink {
            keyed: !node.key.is_empty(),
            takes_rejects: false,
            layout: None,
            fan_out: None,
        },
    });
    let pipeline = Expected {
        name: PIPELINE_SECTION,
        keys: &[PIPELINE_KEYS],
        role: Role::Pipeline { threads: None },
    };
    sources.chain(sinks).chain([pipeline]).collect()
}

/// Checks every source and sink.
pub(crate) fn check(
    io: &tokio::runtime::Runtime,
    sources: &mut [Box<dyn Source>],
    sinks: Vec<StdArc<dyn Sink>>,
) -> Findings {
    let mut findings = Findings::default();
    for source in sources {
        findings.0.append(&mut source.check().0);
    }
    let checks: Vec<_> = sinks
        .into_iter()
        .map(|sink| io.spawn(async move { sink.check().await }))
        .collect();
    for check in checks {
        match io.block_on(check) {
            Ok(mut found) => findings.0.append(&mut found.0),
            Err(error) => {
                findings.error("S001", format!("a sink's check ended early: {error}"), "");
            }
        }
    }
    findings
}

/// Loads every lookup that has no snapshot yet.
pub(crate) fn load(io: &tokio::runtime::Runtime, lookups: &[Loader], clock: &Clock) -> Findings {
    let mut findings = Findings::default();
    for loader in lookups.iter().filter(|loader| !loader.is_loaded()) {
        if let Err(why) = io.block_on(load_once(loader, clock)) {
            findings.error(
                "S070",
                format!("lookup `{}` could not be loaded: {why}", loader.name),
                "no record is read before every lookup has a snapshot; a loader may try again \
                 itself before it fails",
            );
        }
    }
    findings
}

fn io_runtime() -> Result<tokio::runtime::Runtime, StartError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("spate-io")
        .enable_all()
        .build()
        .map_err(|source| StartError { what: "I/O runtime", source })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::graph::{SinkNode, SourceNode};

    struct Forgetful;

    impl Definition for Forgetful {
        const GRAPH: &'static Graph = &Graph {
            pipeline: "forgetful",
            file: "src/main.rs",
            sources: &[SourceNode { name: "events", declared: "" }],
            sinks: &[SinkNode { name: "lines", declared: "", key: "" }],
            lookups: &[],
            chains: &[],
        };
        const CONFIG: Option<(&'static str, &'static str)> = None;

        fn assemble(_: &mut Assembler<'_>) {}
    }

    /// Holds INV-M3.
    #[test]
    #[should_panic(expected = "INV-M3: the generated assembly leaves out")]
    fn an_assembly_that_leaves_something_out_is_a_bug() {
        drop(Plan::assemble::<Forgetful>(&Config::empty(), Target::Declared));
    }
}
