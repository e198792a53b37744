//! A pipeline as a value: assembled and run from code.
//!
//! `orders::pipeline(config)` makes one; `orders::main()` is the same behind a command line.

use std::path::PathBuf;

use spate_runtime::config::{Config, ConfigErrors};
use spate_runtime::pipeline::{Definition, Plan, Running, StartError, Target};

/// A pipeline with a configuration, not yet assembled.
#[derive(Debug)]
pub struct Pipeline {
    config: Config,
    files: Option<PathBuf>,
    assemble: fn(&Config, Target<'_>) -> Result<Plan, ConfigErrors>,
}

/// A pipeline could not be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum PipelineError {
    /// The configuration does not fit the pipeline.
    Config(ConfigErrors),
    /// The system has no thread to give.
    Start(StartError),
}

impl std::fmt::Display for PipelineError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Config(errors) => errors.fmt(f),
            Self::Start(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PipelineError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Config(_) => None,
            Self::Start(error) => std::error::Error::source(error),
        }
    }
}

impl Pipeline {
    /// For generated code: `D` with `config`.
    #[doc(hidden)]
    #[must_use]
    pub fn new<D: Definition>(config: Config) -> Self {
        Self { config, files: None, assemble: |config, target| Plan::assemble::<D>(config, target) }
    }

    /// Writes the rows of every sink to files under `dir`, whatever the sinks are declared as.
    #[must_use]
    pub fn sinks_to(mut self, dir: impl Into<PathBuf>) -> Self {
        self.files = Some(dir.into());
        self
    }

    /// Assembles the pipeline: touches nothing outside.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the configuration.
    pub fn plan(&self) -> Result<Plan, ConfigErrors> {
        let target = match &self.files {
            None => Target::Declared,
            Some(dir) => Target::Files { dir, open: spate_file::open_sink },
        };
        (self.assemble)(&self.config, target)
    }

    /// Starts the pipeline on threads of its own and returns at once.
    ///
    /// # Errors
    ///
    /// [`PipelineError::Config`] with everything that is wrong with the configuration,
    /// [`PipelineError::Start`] when the system has no thread to give.
    pub fn start(self) -> Result<Running, PipelineError> {
        let plan = self.plan().map_err(PipelineError::Config)?;
        plan.start().map_err(PipelineError::Start)
    }
}
