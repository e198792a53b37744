//! The sink's half of the runtime: what a sink is, sealed batches, writers.

pub mod sealed;
pub mod traits;

pub use sealed::SealedBatch;
pub use traits::{BoxFuture, Layout, Outcome, Sink, SinkConnector, WriteError};
