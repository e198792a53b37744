//! Decides what one shard's writer does next. Pure.
//!
//! ```text
//! frame -> batcher -> sealed batches of a group, in order -> at most `max_inflight` being written
//! ```
//!
//! Takes frames while fewer than [`WAITING_MAX`] sealed batches wait for their turn; beyond that
//! the shard's queue fills up, and lanes park.
//!
//! Holds: INV-S1, INV-S3 (batches of one group are started in the order they were sealed).

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use super::batcher::{Added, BatchItem, Batcher, Limits};

/// Sealed batches that may wait for their turn before the writer stops taking frames.
pub const WAITING_MAX: usize = 4;

/// What one shard's writer holds.
#[derive(Debug)]
pub struct WriterCore<T> {
    batcher: Batcher<T>,
    /// Sealed and not started, by group.
    waiting: BTreeMap<u64, VecDeque<Vec<T>>>,
    /// Being written, by group; no entry means none.
    in_flight: BTreeMap<u64, usize>,
    max_inflight: usize,
    void: Vec<T>,
}

impl<T: BatchItem> WriterCore<T> {
    /// Makes a writer that holds nothing; at most `max_inflight` (at least 1) writes per group.
    #[must_use]
    pub fn new(limits: Limits, max_inflight: usize) -> Self {
        Self {
            batcher: Batcher::new(limits),
            waiting: BTreeMap::new(),
            in_flight: BTreeMap::new(),
            max_inflight: max_inflight.max(1),
            void: Vec::new(),
        }
    }

    /// Whether it takes another frame now.
    #[must_use]
    pub fn wants_frames(&self) -> bool {
        self.waiting.values().map(VecDeque::len).sum::<usize>() < WAITING_MAX
    }

    /// Takes a frame from the queue.
    pub fn on_frame(&mut self, frame: T) {
        match self.batcher.add(frame) {
            Added::Waits => {}
            Added::Sealed(frames) => self.wait(frames),
            Added::Void(frame) => self.void.push(frame),
        }
    }

    /// Seals what is due and could be written at once.
    ///
    /// What is due behind a write that is still on the wire goes on collecting: it leaves as one
    /// batch when the write returns, not as one tiny batch per linger.
    pub fn on_time(&mut self, now: Instant) {
        let (waiting, in_flight, max) = (&self.waiting, &self.in_flight, self.max_inflight);
        let may = |group| may_start(waiting, in_flight, max, group);
        for frames in self.batcher.seal_due(now, may) {
            self.wait(frames);
        }
    }

    /// Makes groups of closing lanes due and drops those of ended epochs that are not started.
    pub fn on_lanes_changed(&mut self) {
        self.batcher.hasten_closing();
        self.void.extend(self.batcher.take_void());
        for queue in self.waiting.values_mut() {
            let (void, live): (VecDeque<_>, VecDeque<_>) = std::mem::take(queue)
                .into_iter()
                .partition(|frames| frames.iter().all(BatchItem::is_void));
            *queue = live;
            self.void.extend(void.into_iter().flatten());
        }
        self.waiting.retain(|_, queue| !queue.is_empty());
    }

    /// Seals everything: the lanes wait for memory that these frames hold, or the pipeline drains.
    pub fn on_gated(&mut self) {
        for frames in self.batcher.seal_all() {
            self.wait(frames);
        }
    }

    /// The next batch to write, if one may start: whole frames of one group. Counts it in flight.
    pub fn start_next(&mut self) -> Option<(u64, Vec<T>)> {
        let group = *self
            .waiting
            .keys()
            .find(|group| self.in_flight.get(group).copied().unwrap_or(0) < self.max_inflight)?;
        let queue = self.waiting.get_mut(&group)?;
        let frames = queue.pop_front()?;
        if queue.is_empty() {
            self.waiting.remove(&group);
        }
        *self.in_flight.entry(group).or_insert(0) += 1;
        Some((group, frames))
    }

    /// A batch of `group` is not in flight any more, whatever became of it.
    pub fn on_written(&mut self, group: u64) {
        if let Some(count) = self.in_flight.get_mut(&group) {
            *count -= 1;
            if *count == 0 {
                self.in_flight.remove(&group);
            }
        }
    }

    /// Frames of ended epochs, not written and not to be: for the caller to count and drop.
    pub fn take_void(&mut self) -> Vec<T> {
        std::mem::take(&mut self.void)
    }

    /// Takes out everything that is not in flight.
    pub fn take_all(&mut self) -> Vec<T> {
        self.on_gated();
        let waiting = std::mem::take(&mut self.waiting);
        waiting
            .into_values()
            .flatten()
            .flatten()
            .chain(std::mem::take(&mut self.void))
            .collect()
    }

    /// When `on_time` has something to do; `None` while nothing waits for its linger alone.
    #[must_use]
    pub fn due_at(&self) -> Option<Instant> {
        self.batcher
            .due_at(|group| may_start(&self.waiting, &self.in_flight, self.max_inflight, group))
    }

    /// Whether no sealed batch waits or is being written: sealing more would start at once.
    #[must_use]
    pub fn is_starved(&self) -> bool {
        self.waiting.is_empty() && self.in_flight.is_empty()
    }

    /// Whether nothing waits and nothing is in flight.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.batcher.is_empty() && self.waiting.is_empty() && self.in_flight.is_empty()
    }

    fn wait(&mut self, frames: Vec<T>) {
        if let Some(group) = frames.first().map(BatchItem::group) {
            self.waiting.entry(group).or_default().push_back(frames);
        }
    }
}

/// Whether a batch of `group` sealed now would be written at once.
fn may_start<T>(
    waiting: &BTreeMap<u64, VecDeque<Vec<T>>>,
    in_flight: &BTreeMap<u64, usize>,
    max_inflight: usize,
    group: u64,
) -> bool {
    !waiting.contains_key(&group) && in_flight.get(&group).copied().unwrap_or(0) < max_inflight
}
