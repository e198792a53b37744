//! The sink's half of the runtime: what a sink is, sealed batches, writers.

pub mod attempt;
pub mod batcher;
pub mod replica;
pub mod retry;
pub mod sealed;
pub mod status;
pub mod times;
pub mod token;
pub mod traits;
pub mod worker;
pub mod writer;

#[cfg(all(test, not(loom)))]
mod model;

pub use sealed::SealedBatch;
pub use traits::{
    BoxFuture, Layout, Outcome, Sink, SinkConnector, WriteError, least_row, sink_keys,
};
