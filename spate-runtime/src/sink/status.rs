//! What a shard's writer shows: counters for reports and metrics, and its last error.

use std::time::Instant;

use crate::chain::frame::Frame;
use crate::chain::port::SinkShared;
use crate::sink::sealed::SealedBatch;
use crate::sink::times::Times;
use crate::sync::{AtomicBool, AtomicU64, Mutex, Ordering};

/// Counters of one shard's writer, from the start of the process.
#[derive(Debug, Default)]
pub struct ShardStatus {
    /// Batches that are durable.
    pub batches: AtomicU64,
    /// Encoded bytes that are durable, before compression.
    pub bytes: AtomicU64,
    /// Attempts that failed and were or will be repeated.
    pub retries: AtomicU64,
    /// How often the writer was woken: by a frame, a linger, an answer, or a change of lanes.
    pub turns: AtomicU64,
    /// How long writes took, from their start to their answer, whatever it was.
    pub write_times: Times,
    /// How old the first row of a batch was when the batch was durable.
    pub ages: Times,
    /// Whether any replica answered a probe or took a write since the start.
    pub answered: AtomicBool,
    last_error: Mutex<Option<String>>,
}

impl ShardStatus {
    /// What the last attempt failed with; `None` after a success.
    #[must_use]
    pub fn last_error(&self) -> Option<String> {
        self.last_error.lock().clone()
    }

    pub(crate) fn set_error(&self, error: Option<String>) {
        *self.last_error.lock() = error;
    }

    pub(crate) fn count_durable(&self, shared: &SinkShared, batch: &SealedBatch, now: Instant) {
        let opened = batch.frames().iter().map(Frame::opened_at).min();
        self.ages
            .add(now.saturating_duration_since(opened.unwrap_or(now)));
        self.answered.store(true, Ordering::Relaxed);
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(batch.bytes(), Ordering::Relaxed);
        shared.durable.fetch_add(batch.rows(), Ordering::Relaxed);
    }

    pub(crate) fn count_retry(&self, error: String) {
        self.retries.fetch_add(1, Ordering::Relaxed);
        self.set_error(Some(error));
    }

    #[expect(clippy::unused_self, reason = "one place counts what becomes of rows")]
    pub(crate) fn count_abandoned(&self, shared: &SinkShared, rows: u64) {
        shared.abandoned.fetch_add(rows, Ordering::Relaxed);
    }

    /// Counts frames that are not to be written, and gives their memory back.
    pub(crate) fn count_void(&self, shared: &SinkShared, frames: Vec<Frame>) {
        let rows = frames.iter().map(|frame| u64::from(frame.rows())).sum();
        self.count_abandoned(shared, rows);
    }
}
