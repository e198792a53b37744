//! The topology of a pipeline as a constant: what the macro knows, for reports, metrics and `graph`.

mod render;

pub use render::{Rendered, Style};

/// A whole pipeline.
#[derive(Clone, Copy, Debug)]
pub struct Graph {
    /// The module's name.
    pub pipeline: &'static str,
    /// The source file it stands in, as `file!()` gives it: stages have their lines.
    pub file: &'static str,
    /// In order of declaration; a `SourceId` is an index into it.
    pub sources: &'static [SourceNode],
    /// In order of declaration; a `SinkId` is an index into it.
    pub sinks: &'static [SinkNode],
    /// In order of declaration; a `LookupId` is an index into it.
    pub lookups: &'static [LookupNode],
    /// In order of writing.
    pub chains: &'static [ChainNode],
}

/// A declared source.
#[derive(Clone, Copy, Debug)]
pub struct SourceNode {
    /// The function's name: also its section in the YAML.
    pub name: &'static str,
    /// Its declared type as written.
    pub declared: &'static str,
}

/// A declared sink.
#[derive(Clone, Copy, Debug)]
pub struct SinkNode {
    /// The function's name: also its section in the YAML.
    pub name: &'static str,
    /// Its declared type as written.
    pub declared: &'static str,
    /// The key rows are routed by, as written; empty if there is none.
    pub key: &'static str,
}

/// A declared lookup.
#[derive(Clone, Copy, Debug)]
pub struct LookupNode {
    /// The function's name.
    pub name: &'static str,
    /// What it returns, as written.
    pub declared: &'static str,
    /// The pause between two loads, in milliseconds.
    pub refresh_ms: u64,
}

/// One chain.
#[derive(Clone, Copy, Debug)]
pub struct ChainNode {
    /// Its name; the pipeline's where the chain has none.
    pub name: &'static str,
    /// Index of the source that feeds it.
    pub source: usize,
    /// Its stages; each stands behind its upstream. The index is the stage's number in tallies.
    pub stages: &'static [StageNode],
}

/// One stage of a chain.
#[derive(Clone, Copy, Debug)]
pub struct StageNode {
    /// The label in metrics, logs and reports, without the chain's name.
    pub label: &'static str,
    /// What it does to a record.
    pub kind: StageKind,
    /// The stage before it; `None` for the one at the source.
    pub upstream: Option<usize>,
    /// What happens to a record it fails on.
    pub policy: Policy,
    /// The operator as written; empty if there is none.
    pub operator: &'static str,
    /// The line in the graph's file it is written on; 0 if it is not known.
    pub line: u32,
}

/// What a stage does to a record, and so which counters it has.
///
/// | kind | counters |
/// |---|---|
/// | `Decode`, `Raw` | `made`: items beyond one per payload; `dropped`: tombstones; `failed` |
/// | `Filter`, `FilterMap`, `Dedup`, `Sample`, `SampleBy` | `dropped` |
/// | `FlatMap`, `Apply` | `made`: items beyond one per record (or fewer: then `dropped`) |
/// | `Arm` | `made`: the records that took this arm |
/// | `try_` forms | the same, and `failed` |
/// | `To`, `Discard` | none: all that reach them |
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "named after the stages of the language")]
pub enum StageKind {
    Decode,
    Raw,
    Filter,
    Map,
    FilterMap,
    FlatMap,
    Inspect,
    Apply,
    Dedup,
    Sample,
    SampleBy,
    Split,
    /// One case of the split upstream.
    Arm,
    Tee,
    /// One branch of the tee upstream: all its records.
    Branch,
    /// The end of a path; the index of its sink.
    To(usize),
    /// The end of a path; the reason as written.
    Discard(&'static str),
}

/// What happens to a record a stage fails on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// The stage cannot fail.
    None,
    /// Count it and log it at a bounded rate.
    Skip,
    /// Stop the pipeline with the watermark before the payload.
    Stop,
    /// Write it to the dead-letter sink of this index.
    DeadLetter(usize),
}
