//! The sink against servers: one that fails on purpose, and the real engine.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test says why it fails or skips")]

#[path = "../support/batch.rs"]
mod batch;
mod consumer;
mod engine;
#[path = "../support/engine.rs"]
mod engine_server;
mod faults;
mod preflight;
#[path = "../support/rows.rs"]
mod rows;
#[path = "../support/server.rs"]
mod server;
#[cfg(feature = "tls")]
mod tls;

use std::sync::Arc;

use spate_clickhouse::ClickHouse;
use spate_runtime::chain::row::Row;
use spate_runtime::config::Section;
use spate_runtime::sink::{Sink, SinkConnector};

/// The sink of `R` with these keys in its section.
fn sink<R: Row + 'static>(yaml: &str) -> Arc<dyn Sink> {
    let section = Section::for_test(ClickHouse::<R>::SCHEMA, yaml).unwrap();
    ClickHouse::<R>::from_section(&section).unwrap().into_sink()
}
