//! A pipeline from code: assemble, check, run, drain, report.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use spate_runtime::admin::{Admin, BindError, Exporter, Listening};
use spate_runtime::clock::Clock;
use spate_runtime::config::{Config, ConfigErrors};
use spate_runtime::id::Partition;
use spate_runtime::lane::source::Lane;
use spate_runtime::pipeline::report::{Report, Snapshot};
use spate_runtime::pipeline::{Definition, Handle, Plan, Rig, RigSettings, StartError, Target};
use spate_runtime::preflight::Findings;

/// A pipeline and its configuration, not yet assembled: what `orders::pipeline(config)` gives.
///
/// ```no_run
/// # fn example(pipeline: spate::Pipeline) -> Result<(), spate::PipelineError> {
/// let running = pipeline.start()?;
/// running.handle().drain();
/// let report = running.wait();
/// println!("{report}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Pipeline {
    name: &'static str,
    config: Config,
    sinks_to: Option<PathBuf>,
    assemble: fn(&Config, Target<'_>) -> Result<Plan, ConfigErrors>,
    rig: BuildRig,
}

/// Makes one lane without its world.
type BuildRig = fn(usize, Partition, Box<dyn Lane>, &RigSettings, &Clock) -> Rig;

/// A pipeline that runs. Dropping it drains in the background; [`Running::wait`] waits.
#[derive(Debug)]
pub struct Running {
    inner: spate_runtime::pipeline::Running,
    /// Dropped after the pipeline: probes are answered until the end.
    admin: Option<Admin>,
}

/// Why a pipeline was not started or checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The configuration is wrong.
    #[error("the configuration is wrong")]
    Config(#[from] ConfigErrors),
    /// The admin server's address cannot be had.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The system refused a thread.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The system refused a thread or a signal handler.
    #[error("could not start a thread of the program")]
    Thread(#[source] std::io::Error),
}

impl PipelineError {
    /// What to do about it, if that is known.
    #[must_use]
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Bind(error) => Some(error.hint()),
            Self::Config(_) | Self::Start(_) | Self::Thread(_) => None,
        }
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline")
            .field("name", &self.name)
            .field("config", &self.config)
            .field("sinks_to", &self.sinks_to)
            .finish_non_exhaustive()
    }
}

impl Pipeline {
    /// For generated code: `D` with its configuration; nothing is checked yet.
    #[doc(hidden)]
    #[must_use]
    pub fn new<D: Definition>(config: Config) -> Self {
        Self {
            name: D::GRAPH.pipeline,
            config,
            sinks_to: None,
            assemble: Plan::assemble::<D>,
            rig: Rig::new::<D>,
        }
    }

    /// Writes the rows of every sink to files under `dir`, a folder per sink, instead.
    #[must_use]
    pub fn sinks_to(self, dir: impl Into<PathBuf>) -> Self {
        Self { sinks_to: Some(dir.into()), ..self }
    }

    /// Looks at the world without reading a record or writing a row.
    ///
    /// # Errors
    ///
    /// A wrong configuration, and a system without threads; what the world is like is in the
    /// findings.
    pub fn check(&self) -> Result<Findings, PipelineError> {
        Ok(self.plan()?.check()?)
    }

    /// Starts to run, and the admin server with it.
    ///
    /// # Errors
    ///
    /// A wrong configuration, an address that is taken, a system without threads.
    pub fn start(&self) -> Result<Running, PipelineError> {
        let plan = self.plan()?;
        let listening = plan.settings().admin.map(Listening::bind).transpose()?;
        // Before the plan starts: it registers its metrics with the recorder of the process.
        let exporter = listening.is_some().then(exporter).flatten();
        let inner = plan.start()?;
        let status = || Arc::clone(inner.handle().status());
        let admin = listening
            .map(|listening| listening.serve(status(), exporter))
            .transpose();
        Ok(Running { admin: admin.map_err(PipelineError::Thread)?, inner })
    }

    /// Builds chain number `chain` over `lane` alone: no source, no sink, no thread.
    ///
    /// # Panics
    ///
    /// If there is no such chain, or `settings.shards` is not one number per sink.
    #[must_use]
    pub fn rig(
        &self,
        chain: usize,
        partition: Partition,
        lane: Box<dyn Lane>,
        settings: &RigSettings,
        clock: &Clock,
    ) -> Rig {
        (self.rig)(chain, partition, lane, settings, clock)
    }

    /// Assembles the pipeline: touches nothing outside.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the configuration.
    pub fn plan(&self) -> Result<Plan, ConfigErrors> {
        let target = match &self.sinks_to {
            Some(dir) => Target::Files { dir, open: spate_file::open_sink },
            None => Target::Declared,
        };
        (self.assemble)(&self.config, target)
    }
}

impl Running {
    /// A handle for other threads: drain, abort, status.
    #[must_use]
    pub const fn handle(&self) -> &Handle {
        self.inner.handle()
    }

    /// All counts at this moment.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::of(self.handle().status())
    }

    /// Where `/metrics` and the health checks are; `None` where they are off.
    #[must_use]
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin.as_ref().map(Admin::address)
    }

    /// Whether it has ended: [`Running::wait`] returns at once.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.inner.is_ended()
    }

    /// Waits until it has ended: by a drain, by a failure, or because its sources have.
    ///
    /// # Panics
    ///
    /// When an invariant of the engine broke: a bug of spate.
    #[must_use]
    pub fn wait(self) -> Report {
        let Self { inner, admin } = self;
        let report = Report::of(&inner.wait());
        drop(admin);
        report
    }
}

/// The text of the process's recorder; installs one unless the application has its own.
fn exporter() -> Option<Exporter> {
    static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    let handle = RECORDER.get_or_init(|| {
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        metrics::set_global_recorder(recorder).ok().map(|()| handle)
    });
    let handle = handle.clone()?;
    Some(Arc::new(move || handle.render()))
}
