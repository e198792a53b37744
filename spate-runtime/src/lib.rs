//! The engine behind spate: lanes, frames, ledger, batcher, commits.
//!
//! Knows no vendor, no wire format and no macro. Connectors implement `Source`, `Lane`, `Sink` and
//! the encoders; the macro generates `LaneChain`s; this crate runs them.

pub mod admin;
pub mod batch;
pub mod chain;
pub mod clock;
pub mod config;
pub mod connector;
pub mod error;
pub mod graph;
pub mod harness;
pub mod id;
pub mod lane;
pub mod ledger;
pub mod line;
pub mod lookup;
pub mod metrics;
pub mod pipeline;
pub mod preflight;
pub mod queue;
pub mod sink;
mod sync;
#[cfg(test)]
#[cfg_attr(loom, expect(dead_code, reason = "the models need a lane only"))]
mod testing;
pub mod version;
