//! A frame: encoded rows of one lane for one (sink, shard), the unit of ack.
//!
//! Built by a port on a lane thread, moved through the shard's queue, merged into a sealed batch
//! by the batcher, resolved in the lane's ledger when its rows are durable.

use crate::sync::Arc;
use std::time::Instant;

use super::frame_buf::FrameBuf;
use crate::id::{Offset, ShardId, SinkId};
use crate::lane::shared::LaneShared;
use crate::ledger::FrameKey;

/// Encoded rows of one lane for one shard of one sink.
pub struct Frame {
    pub(crate) buf: FrameBuf,
    pub(crate) lane: Arc<LaneShared>,
    pub(crate) key: FrameKey,
    pub(crate) sink: SinkId,
    pub(crate) shard: ShardId,
    pub(crate) rows: u32,
    pub(crate) first: Offset,
    pub(crate) last: Offset,
    pub(crate) opened_at: Instant,
    /// The frames it may be written with: those of its lane, or all (0) where the sink does not
    /// deduplicate.
    pub(crate) group: u64,
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frame")
            .field("partition", &self.lane.partition)
            .field("sink", &self.sink)
            .field("shard", &self.shard)
            .field("rows", &self.rows)
            .field("first", &self.first)
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}

impl Frame {
    /// The encoded rows, whole.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.buf.as_slice()
    }

    /// How many rows; never 0.
    #[must_use]
    pub const fn rows(&self) -> u32 {
        self.rows
    }

    /// The offset of the payload the first row came from, inclusive.
    #[must_use]
    pub const fn first(&self) -> Offset {
        self.first
    }

    /// The offset of the payload the last row came from, inclusive.
    #[must_use]
    pub const fn last(&self) -> Offset {
        self.last
    }

    /// The lane it belongs to.
    #[must_use]
    pub fn lane(&self) -> &LaneShared {
        &self.lane
    }

    /// When its first row was pushed.
    #[must_use]
    pub const fn opened_at(&self) -> Instant {
        self.opened_at
    }

    /// Says that its rows will not become durable in this epoch.
    pub(crate) fn give_up(&self) {
        self.lane.give_up(self.key);
    }

    /// Marks its rows durable in the lane's ledger. Void when the lane's epoch has ended.
    pub fn resolve(&self) {
        self.lane.resolve(self.key);
    }
}
