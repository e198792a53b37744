//! Tests of a pipeline: its real parts on a virtual clock, with sources and sinks made of memory.
//!
//! `orders::test()` makes one for the module `orders`. Push payloads, let time pass, look at the
//! rows: no thread, no server, no sleep, and the same result in every run.
//!
//! ```ignore
//! let mut t = orders::test();
//! t.events().push(r#"{"order_id":7,"customer":"ada","qty":2,"unit_cents":250,"kind":"placed"}"#);
//! t.settle();
//! assert_eq!(t.lines().row().total_cents, 500);
//! ```
//!
//! | | |
//! |---|---|
//! | a [`Source`] for each source, by its name | push payloads, take partitions away, see what is committed |
//! | a [`Sink`] for each sink, by its name | read rows, say what becomes of writes |
//! | a [`Lookup`] for each lookup, by its name | set what it holds |
//! | [`Harness::settle`], [`run`](Harness::run), [`advance`](Harness::advance) | let time pass |
//! | [`Harness::drain`], [`fail`](Harness::fail), [`crash`](Harness::crash), [`restart`](Harness::restart) | ends and beginnings |
//! | [`Harness::counter`], [`skips`](Harness::skips), [`snapshot`](Harness::snapshot) | what was counted |
//!
//! The engine's settings (`linger`, `batch_rows`, ..) are those of the configuration compiled in,
//! or of [`Harness::configure`]; whatever the connectors are set to does not count.
//!
//! A mistake in a test panics at the line that made it, and says what to write.

mod lookup;
mod sink;
mod source;

use std::fmt;
use std::time::Duration;

pub use lookup::Lookup;
pub use sink::Sink;
pub use source::Source;
pub use spate_runtime::chain::captured::{Datum, DecodeRow, DecodeValue, Values};
pub use spate_runtime::chain::skip_log::Skipped;
pub use spate_runtime::harness::Written;
pub use spate_runtime::pipeline::report::Flow;

use spate_runtime::config::{ConfigErrors, nearest};
use spate_runtime::graph::ChainNode;
use spate_runtime::harness::{Harness as Engine, Stuck};
use spate_runtime::pipeline::report::{Report, Snapshot, flows};
use spate_runtime::pipeline::{Definition, Outcome};

/// A pipeline under test, without its sources' and sinks' names: `orders::Test` derefs to it.
pub struct Harness {
    engine: Engine,
}

impl fmt::Debug for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.engine.fmt(f)
    }
}

impl Harness {
    /// For generated code.
    ///
    /// # Panics
    ///
    /// If the configuration compiled in is no YAML.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub fn new<D: Definition>() -> Self {
        Self { engine: right(Engine::new::<D>()) }
    }

    /// For generated code: the source with this number.
    #[doc(hidden)]
    pub const fn source(&self, index: usize) -> Source<'_> {
        Source::new(&self.engine, index)
    }

    /// For generated code: the lookup with this number.
    #[doc(hidden)]
    #[must_use]
    pub const fn lookup<L>(&self, index: usize) -> Lookup<'_, L> {
        Lookup::new(&self.engine, index)
    }

    /// For generated code: the sink with this number.
    #[doc(hidden)]
    #[must_use]
    pub const fn sink<R>(&self, index: usize) -> Sink<'_, R> {
        Sink::new(&self.engine, index)
    }

    /// Replaces sections of the configuration by those in `yaml`: `pipeline`, or the engine's keys
    /// of a sink, such as `lines: { batch_rows: 2 }`. Before the first step, or a restart.
    ///
    /// # Panics
    ///
    /// If it is no YAML. What is wrong in it, the first step says.
    #[track_caller]
    pub fn configure(&mut self, yaml: &str) {
        right(self.engine.configure(yaml));
    }

    /// Does everything that can be done at this moment; no time passes.
    ///
    /// Lanes read all there is and hand it over; batches wait for their linger. The first step of
    /// any kind starts the pipeline.
    ///
    /// # Panics
    ///
    /// If the pipeline fails or has ended, or its settings are wrong.
    #[track_caller]
    pub fn run(&mut self) {
        self.can_go_on();
        right(self.engine.run());
        self.has_not_failed();
    }

    /// Lets so much virtual time pass.
    ///
    /// # Panics
    ///
    /// As [`Harness::run`].
    #[track_caller]
    pub fn advance(&mut self, time: Duration) {
        self.can_go_on();
        right(self.engine.advance(time));
        self.has_not_failed();
    }

    /// Lets time pass until everything that was pushed is durable and committed.
    ///
    /// # Panics
    ///
    /// As [`Harness::run`], and if an hour of virtual time is not enough.
    #[track_caller]
    pub fn settle(&mut self) {
        self.can_go_on();
        let settled = right(self.engine.settle());
        self.has_not_failed();
        if let Err(Stuck(waits)) = settled {
            panic!(
                "not settled after an hour of virtual time: it waits {waits} \
                 (`recover()` lets a sink write again, `advance(..)` lets time pass as it is)"
            );
        }
    }

    /// Drains the pipeline: it reads no more, writes what it has, commits and ends.
    ///
    /// The outcome is `DeadlinePassed` where a sink does not take its rows in time. After an end
    /// its report again.
    ///
    /// # Panics
    ///
    /// If the pipeline fails, or its settings are wrong.
    #[track_caller]
    pub fn drain(&mut self) -> Report {
        right(self.engine.run());
        self.engine.begin_drain();
        let ended = right(self.engine.until_ended());
        self.has_not_failed();
        if let Err(Stuck(waits)) = ended {
            panic!("not drained after an hour of virtual time: it waits {waits}");
        }
        self.report()
    }

    /// Lets time pass until the pipeline fails, as the test means it to.
    ///
    /// # Panics
    ///
    /// If it does not fail.
    #[track_caller]
    pub fn fail(&mut self) -> Report {
        if self.engine.ended().is_none() {
            let settled = right(self.engine.settle());
            if let Err(Stuck(waits)) = settled {
                panic!("the pipeline did not fail: it waits {waits}");
            }
        }
        match self.engine.ended() {
            None => panic!("the pipeline did not fail: everything is durable and committed"),
            Some(report) if report.outcome != Outcome::Failed => {
                panic!("the pipeline did not fail, it was drained")
            }
            Some(report) => report.clone(),
        }
    }

    /// Ends the process as `kill -9` does and starts another: partitions are read from their
    /// committed watermarks on, with fresh state and counters at zero.
    ///
    /// # Panics
    ///
    /// If the settings are wrong.
    #[track_caller]
    pub fn crash(&mut self) {
        right(self.engine.start_anew());
    }

    /// Starts a pipeline that has ended anew, as another process: after a drain or a failure.
    ///
    /// # Panics
    ///
    /// If it has not ended, or the settings are wrong.
    #[track_caller]
    pub fn restart(&mut self) {
        assert!(
            !self.engine.is_running(),
            "the pipeline runs: `drain()` ends it first, `crash()` ends it here and now"
        );
        right(self.engine.start_anew());
    }

    /// Virtual time since the test began.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.engine.elapsed()
    }

    /// What went through a stage since the process began, by its label: `in_stock`, or
    /// `bill.in_stock` where several chains have one.
    ///
    /// # Panics
    ///
    /// If no stage has this label, or several do.
    #[must_use]
    #[track_caller]
    pub fn counter(&self, label: &str) -> Flow {
        let (chain, stage) = self.stage(label);
        let graph = self.engine.graph();
        let Some(snapshot) = self.engine.snapshot() else { return Flow::default() };
        let of_chain = |chain: &ChainNode, at: usize| flows(chain, &snapshot.chains[at]);
        of_chain(&graph.chains[chain], chain)[stage]
    }

    /// The records that `.or_skip()` skipped, in order, over all processes.
    #[must_use]
    pub fn skips(&self) -> Vec<Skipped> {
        self.engine.skips()
    }

    /// All counts at this moment.
    ///
    /// # Panics
    ///
    /// Before the first step.
    #[must_use]
    #[track_caller]
    pub fn snapshot(&self) -> Snapshot {
        let snapshot = self.engine.snapshot();
        snapshot.expect("nothing has run yet: call `run()`, `settle()` or `drain()` first")
    }

    #[track_caller]
    fn stage(&self, label: &str) -> (usize, usize) {
        let graph = self.engine.graph();
        let of_chain = |(at, chain): (usize, &'static ChainNode)| {
            let stages = chain.stages.iter().enumerate();
            stages.map(move |(stage, node)| (at, stage, chain.name, node.label))
        };
        let all: Vec<_> = graph.chains.iter().enumerate().flat_map(of_chain).collect();
        let is =
            |chain: &str, own: &str| own == label || label.split_once('.') == Some((chain, own));
        let found: Vec<_> = all
            .iter()
            .filter(|(.., chain, own)| is(chain, own))
            .collect();
        match found[..] {
            [(chain, stage, ..)] => (*chain, *stage),
            [] => {
                let labels = all.iter().map(|(.., own)| *own);
                panic!("no stage has the label `{label}`{}", nearest(label, labels))
            }
            [(.., chain, own), ..] => panic!(
                "several chains have a stage `{label}`: write which, such as `{chain}.{own}`"
            ),
        }
    }

    #[track_caller]
    fn can_go_on(&self) {
        self.has_not_failed();
        assert!(
            self.engine.ended().is_none(),
            "the pipeline has ended: `restart()` starts it again"
        );
    }

    #[track_caller]
    fn has_not_failed(&self) {
        let Some(report) = self.engine.ended() else { return };
        assert!(
            report.outcome != Outcome::Failed,
            "the pipeline failed: {}; where the test means it to, let it `fail()`",
            report.snapshot.failures.join("; ")
        );
    }

    fn report(&self) -> Report {
        self.engine.ended().cloned().expect("it has ended")
    }
}

/// What a step gave, or a panic with all that is wrong in the settings.
#[track_caller]
fn right<T>(result: Result<T, ConfigErrors>) -> T {
    result.unwrap_or_else(|errors| panic!("the settings of this test are wrong:\n{errors}"))
}
