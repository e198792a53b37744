//! The traits a sink implements: what is declared, and what the writers drive.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::sealed::SealedBatch;
use crate::chain::row::{Row, RowEncoder};
use crate::config::{ConfigErrors, Key, Schema, Section};
use crate::error::Class;
use crate::id::{ReplicaId, ShardId};
use crate::preflight::Findings;

/// A future on the I/O runtime, one allocation per call.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The type a sink is declared with, such as `ClickHouse<OrderLine<'static>>`.
pub trait SinkConnector: Sized + 'static {
    /// What it takes.
    type Row: Row;
    /// How its rows are written.
    type Encoder: RowEncoder;
    /// The keys of its section, beside those every sink has.
    const SCHEMA: &'static Schema;

    /// Reads its settings from its section of the configuration.
    ///
    /// # Errors
    ///
    /// Every setting that is missing, of the wrong type or contradicts another.
    fn from_section(section: &Section<'_>) -> Result<Self, ConfigErrors>;

    /// Makes the sink; touches nothing outside.
    fn into_sink(self) -> Arc<dyn Sink>;
}

/// The keys of the sections of `C`, for generated code.
#[doc(hidden)]
#[must_use]
pub const fn sink_keys<C: SinkConnector>() -> &'static [Key] {
    C::SCHEMA.keys
}

/// The fewest bytes of a row of `C`, for generated code.
#[doc(hidden)]
#[must_use]
pub const fn least_row<C: SinkConnector>() -> u64 {
    <C::Encoder as RowEncoder>::WIDTH.least(<C::Row as Row>::COLUMNS)
}

/// What the runtime must know of a sink before it starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Shape `[shard]`: how many replicas each shard has; never empty, never 0.
    pub replicas: Vec<usize>,
    /// Whether the sink drops a batch whose token it has seen: batches are then keyed by partition.
    pub deduplicates: bool,
    /// Whether a write of unknown outcome may be retried at another replica of the shard.
    pub replicas_share_tokens: bool,
}

/// A sink as the writers see it. Called on the I/O runtime; implementations are shared.
pub trait Sink: Send + Sync + 'static {
    /// Shards, replicas and what they promise.
    fn layout(&self) -> Layout;

    /// Looks at the world without writing a row: reachability, permissions, tables, columns.
    fn check(&self) -> BoxFuture<'_, Findings>;

    /// Asks one replica whether it could take rows now, for readiness and the breaker.
    fn probe(&self, shard: ShardId, replica: ReplicaId) -> BoxFuture<'_, Result<(), WriteError>>;

    /// Writes a sealed batch; `Ok` means durable. The same batch may come again, byte for byte.
    ///
    /// The batch is shared so that a transport may send its chunks without copying them.
    fn write(
        &self,
        shard: ShardId,
        replica: ReplicaId,
        batch: Arc<SealedBatch>,
    ) -> BoxFuture<'_, Result<(), WriteError>>;
}

/// What became of a write that did not succeed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The sink said it wrote nothing: another replica may be tried.
    NotWritten,
    /// Nobody knows (timeout, broken connection): retry at the same replica with the same token.
    Unknown,
}

/// Why a sealed batch was not written.
#[derive(Debug)]
pub struct WriteError {
    /// `Remote`: retry with backoff. `Config` and `Bug`: stop, the watermark stays.
    pub class: Class,
    /// What became of the write.
    pub outcome: Outcome,
    /// The sink's own error code, if it has one.
    pub code: Option<u32>,
    /// What happened: a lower-case fragment, no secrets.
    pub text: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for WriteError {}
