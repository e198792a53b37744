//! Sealed batches for tests, made the way a lane makes them.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use spate_runtime::chain::pool::Pool;
use spate_runtime::chain::port::{Port, Route, SinkShared};
use spate_runtime::chain::row::{Row, RowEncoder};
use spate_runtime::clock::Clock;
use spate_runtime::id::{Epoch, NextOffset, Offset, Partition, SinkId};
use spate_runtime::lane::shared::LaneShared;
use spate_runtime::ledger::Incarnation;
use spate_runtime::queue::{Parker, ShardQueue};
use spate_runtime::sink::SealedBatch;

/// Rows of one lane, each call of `frame` a frame of its own.
pub(crate) struct Lane<E> {
    port: Port<E>,
    queue: Arc<ShardQueue>,
    offset: u64,
}

impl<E: RowEncoder> Lane<E> {
    pub(crate) fn new() -> Self {
        let queue = ShardQueue::new(4096);
        let shared = Arc::new(SinkShared {
            sink: SinkId(0),
            name: "sink",
            queues: vec![Arc::clone(&queue)],
            route: Route::RoundRobin,
            frame_bytes: usize::MAX,
            linger: Duration::from_secs(3600),
            by_lane: true,
            pool: Pool::new(256 << 20),
            pushed: AtomicU64::new(0),
            cut: AtomicU64::new(0),
            abandoned: AtomicU64::new(0),
            durable: AtomicU64::new(0),
        });
        let partition = Partition::new("topic", 0);
        let lane = LaneShared::new(partition, Epoch(1), Incarnation(7), NextOffset(0));
        let port = Port::new(shared, Arc::new(lane), Parker::new().slot(), Clock::real().now());
        Self { port, queue, offset: 0 }
    }

    /// Hands over one frame of `rows`.
    pub(crate) fn frame<R: Row>(&mut self, rows: impl IntoIterator<Item = R>) {
        for row in rows {
            self.port.push(&row, Offset(self.offset), |_| 0);
            self.offset += 1;
        }
        self.port.core_mut().hand_over_all();
        assert_eq!(self.port.core_mut().fault(), None);
        assert!(!self.port.core_mut().is_parked(), "the queue has room for every frame of a test");
    }

    /// Seals everything handed over.
    pub(crate) fn seal(&self, token: &str) -> Arc<SealedBatch> {
        let frames = std::iter::from_fn(|| self.queue.try_recv()).collect();
        Arc::new(SealedBatch::new(frames, token.to_owned()))
    }
}
