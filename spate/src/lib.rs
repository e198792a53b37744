//! Streams into warehouses: a pipeline is a Rust module.
//!
//! This is the only crate an application names. `use spate::prelude::*`, annotate a module with
//! [`#[pipeline]`](macro@pipeline), and `cargo build` makes the pipeline.
//!
//! ```ignore
//! #[pipeline(config = "slow.yaml")]
//! pub mod slow {
//!     use super::*;
//!
//!     #[source]
//!     fn requests() -> File<Json<Request<'_>>>;
//!
//!     #[sink]
//!     fn slow() -> File<Slow<'_>>;
//!
//!     #[sink]
//!     fn rejects() -> File<DeadLetter<'_>>;
//!
//!     fn is_slow(request: &Request<'_>) -> bool { request.micros >= 100_000 }
//!
//!     fn in_millis(request: Request<'_>) -> Slow<'_> { .. }
//!
//!     chain!({ requests.decode().or_to(rejects).filter(is_slow).map(in_millis).to(slow) });
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     slow::main()
//! }
//! ```
//!
//! # What there is
//!
//! | | |
//! |---|---|
//! | [`#[pipeline]`](macro@pipeline), [`chain!`], [`derive(Row)`](derive@Row), [`derive(Record)`](derive@Record) | what a program is written with |
//! | [`prelude`] | what it needs in scope: these, the connectors that are on, the types of columns |
//! | `module::main()` | the program: `run`, `check` and `graph` |
//! | [`Pipeline`] | the same from code: assemble, check, start; a [`Running`] pipeline has a [`Handle`] and ends in a [`Report`] |
//! | `module::test()`, [`mod@test`] | the pipeline under test: no server, no sleep, virtual time |
//! | [`Config`] | a configuration that was read |
//! | [`DeadLetter`] | the row that `.or_to(sink)` writes |
//!
//! # Features
//!
//! Nothing is on by default; what is off is not compiled.
//!
//! | feature | gives |
//! |---|---|
//! | `json` | the format `Json` |
//! | `kafka` | the source `Kafka`; with `kafka-tls` or `kafka-tls-vendored` TLS and SCRAM, with `kafka-embedded` a broker in the process |
//! | `clickhouse` | the sink `ClickHouse`; with `clickhouse-tls` `https://` addresses |
//! | `file` | the source and the sink `File` |
//! | `datagen` | the source `Datagen`, of generated orders |
//!
//! # Promises
//!
//! A committed offset never passes a record whose rows are not durable at every sink they were
//! meant for. Every path ends in a sink or in a discard with a reason, every failure has a policy,
//! and the report at the end says whether all counts agree. The guide's page on delivery says
//! exactly what that means, and what it does not.

mod cli;
#[doc(hidden)]
pub mod editor;
mod pipeline;
pub mod prelude;
pub mod test;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use pipeline::{Pipeline, PipelineError, Running};
pub use spate_macros::{Record, Row, chain, pipeline};
pub use spate_runtime::chain::dead_letter::DeadLetter;
pub use spate_runtime::config::Config;
pub use spate_runtime::graph::Graph;
pub use spate_runtime::pipeline::report::{Report, Snapshot};
pub use spate_runtime::pipeline::{Handle, Outcome};
