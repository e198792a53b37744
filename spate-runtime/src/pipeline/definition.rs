//! What the macro generates for a whole pipeline, and how it is put together for one run.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::chain::lane_chain::{BuildLane, LaneChain, LaneSeed};
use crate::config::check::{Expected, Purpose};
use crate::config::{Config, ConfigErrors, SINK_KEYS, SinkSettings};
use crate::connector::SourceConnector;
use crate::graph::Graph;
use crate::id::{LookupId, SinkId, SourceId};
use crate::lane::source::Source;
use crate::lookup::{Loaded, Loader, Loading};
use crate::preflight::Findings;
use crate::sink::{Sink, SinkConnector};

/// A pipeline as generated: its topology and how its parts are made.
pub trait Definition: 'static {
    /// The topology.
    const GRAPH: &'static Graph;
    /// Name and text of the configuration compiled in, if the module names one.
    const CONFIG: Option<(&'static str, &'static str)>;

    /// The sections of its configuration, as a build checks them.
    const SECTIONS: &'static [Expected<'static>] = &[];

    /// Makes every source, sink and chain; errors are collected by the assembler.
    fn assemble(assembler: &mut Assembler<'_>);

    /// Makes every chain with ports that capture rows, for a harness; no source and no sink.
    fn captured(assembler: &mut Assembler<'_>) {
        let _ = assembler;
    }
}

/// Makes a sink that writes rows of `sink` under `dir`, whatever it is declared as.
pub type OpenFiles = fn(dir: &Path, sink: &str) -> Arc<dyn Sink>;

/// Where the rows of this run go.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// To the sinks as declared.
    Declared,
    /// To files under a folder, one folder per sink (`run --sinks-to DIR`).
    Files {
        /// The folder; made if it is not there.
        dir: &'a Path,
        /// What makes the file sinks.
        open: OpenFiles,
    },
    /// Nowhere: no source and no sink is made, only the chains; see `Rig`.
    Bare,
}

impl Target<'_> {
    /// What its configuration is for.
    pub(crate) const fn purpose(self) -> Purpose {
        match self {
            Self::Files { .. } => Purpose::ToFiles,
            Self::Declared | Self::Bare => Purpose::Declared,
        }
    }
}

/// Makes the chain of a new lane.
pub(crate) type BuildChain = Box<dyn Fn(&LaneSeed<'_>) -> Box<dyn LaneChain> + Send + Sync>;

/// Collects the parts of one run; used by generated code.
pub struct Assembler<'a> {
    pub(crate) graph: &'static Graph,
    pub(crate) config: &'a Config,
    pub(crate) target: Target<'a>,
    pub(crate) errors: ConfigErrors,
    /// What is right but should be read.
    pub(crate) warnings: Findings,
    /// Shape `[source]`; `None` where its section is wrong.
    pub(crate) sources: Vec<Option<Box<dyn Source>>>,
    /// Shape `[sink]`; `None` where its section is wrong.
    pub(crate) sinks: Vec<Option<(Arc<dyn Sink>, SinkSettings)>>,
    /// Shape `[lookup]`.
    pub(crate) lookups: Vec<Option<Loader>>,
    /// Shape `[chain]`.
    pub(crate) chains: Vec<Option<BuildChain>>,
}

impl std::fmt::Debug for Assembler<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Assembler")
            .field("pipeline", &self.graph.pipeline)
            .finish_non_exhaustive()
    }
}

impl<'a> Assembler<'a> {
    pub(crate) fn new(graph: &'static Graph, config: &'a Config, target: Target<'a>) -> Self {
        Self {
            graph,
            config,
            target,
            errors: ConfigErrors::default(),
            warnings: Findings::default(),
            sources: graph.sources.iter().map(|_| None).collect(),
            sinks: graph.sinks.iter().map(|_| None).collect(),
            lookups: graph.lookups.iter().map(|_| None).collect(),
            chains: graph.chains.iter().map(|_| None).collect(),
        }
    }

    /// Whether every sink writes files in this run: ports then encode NDJSON.
    #[must_use]
    pub const fn sinks_to_files(&self) -> bool {
        matches!(self.target, Target::Files { .. })
    }

    /// Makes a source from the section of its name.
    pub fn source<C: SourceConnector>(&mut self, id: SourceId) {
        if matches!(self.target, Target::Bare) {
            return;
        }
        let name = self.graph.sources[id.0].name;
        let made = self.config.section(name, &[C::SCHEMA.keys]);
        let made = made.and_then(|section| {
            self.warnings.0.append(&mut section.plain_secrets().0);
            C::from_section(&section)
        });
        self.add_source(id, made);
    }

    /// Makes a source by the body of its declaration.
    pub fn source_with<C: SourceConnector>(
        &mut self,
        id: SourceId,
        build: impl FnOnce(&Config) -> C,
    ) {
        if matches!(self.target, Target::Bare) {
            return;
        }
        let made = build(self.config);
        self.add_source(id, Ok(made));
    }

    fn add_source<C: SourceConnector>(&mut self, id: SourceId, made: Result<C, ConfigErrors>) {
        let name = self.graph.sources[id.0].name;
        match made {
            Err(errors) => self.errors.0.extend(errors.0),
            Ok(connector) => match connector.into_source() {
                Ok(source) => self.sources[id.0] = Some(source),
                Err(error) => self.errors.0.push(self.config.error_in(
                    name,
                    "P059",
                    crate::error::chain_text(&error),
                    error.hint().unwrap_or_default(),
                )),
            },
        }
    }

    /// Makes a sink from the section of its name.
    pub fn sink<C: SinkConnector>(&mut self, id: SinkId) {
        let name = self.graph.sinks[id.0].name;
        let keys = [C::SCHEMA.keys, SINK_KEYS];
        let section = match self.target {
            Target::Bare => return,
            Target::Declared => self.config.section(name, &keys),
            // What the connector would need, such as a password, may be unset in this run.
            Target::Files { .. } => self.config.section_unread(name, &keys),
        };
        let section = match section {
            Ok(section) => section,
            Err(errors) => return self.errors.0.extend(errors.0),
        };
        self.warnings.0.append(&mut section.plain_secrets().0);
        let settings = SinkSettings::from_section(&section);
        let sink = match self.target {
            Target::Files { dir, open } => Ok(open(dir, name)),
            Target::Declared | Target::Bare => {
                C::from_section(&section).map(SinkConnector::into_sink)
            }
        };
        match sink {
            Ok(sink) => self.sinks[id.0] = Some((sink, settings)),
            Err(errors) => self.errors.0.extend(errors.0),
        }
    }

    /// Makes a sink by the body of its declaration; its section carries the common keys only.
    pub fn sink_with<C: SinkConnector>(&mut self, id: SinkId, build: impl FnOnce(&Config) -> C) {
        let name = self.graph.sinks[id.0].name;
        let settings = self.config.section(name, &[SINK_KEYS]);
        let settings = settings.map(|section| SinkSettings::from_section(&section));
        let sink = match self.target {
            Target::Bare => return,
            Target::Files { dir, open } => open(dir, name),
            Target::Declared => build(self.config).into_sink(),
        };
        match settings {
            Ok(settings) => self.sinks[id.0] = Some((sink, settings)),
            Err(errors) => self.errors.0.extend(errors.0),
        }
    }

    /// Says how a lookup is loaded; nothing is loaded yet.
    pub fn lookup<L: Loaded>(&mut self, id: LookupId, begin: fn(&Config) -> Loading<L>) {
        let node = &self.graph.lookups[id.0];
        let every = Duration::from_millis(node.refresh_ms);
        self.lookups[id.0] = Some(Loader::new(node.name, every, self.config, begin));
    }

    /// Says how the lanes of a chain are made.
    pub fn chain<L: BuildLane>(&mut self, index: usize) {
        self.chains[index] = Some(Box::new(|seed| Box::new(L::build(seed))));
    }
}
