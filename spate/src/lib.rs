//! Streams into warehouses: a pipeline is a Rust module.
//!
//! This is the only crate an application names. `use spate::prelude::*`, annotate a module with
//! `#[pipeline]`, and `cargo build` makes the pipeline.

mod cli;
mod pipeline;
pub mod prelude;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use pipeline::{Pipeline, PipelineError, Running};
pub use spate_macros::{Row, chain, pipeline};
pub use spate_runtime::chain::dead_letter::DeadLetter;
pub use spate_runtime::config::Config;
pub use spate_runtime::graph::Graph;
pub use spate_runtime::pipeline::report::{Report, Snapshot};
pub use spate_runtime::pipeline::{Handle, Outcome};
