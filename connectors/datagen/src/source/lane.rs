//! One partition of generated orders.
//!
//! Lane thread. A fill writes values and keys into one arena and then lends slices of it; the
//! arena and the slots keep their room, so a lane allocates nothing in steady state.

#![expect(unsafe_code, reason = "payloads that borrow from the lane's own arena")]

use std::ops::Range;
use std::sync::Arc;

use spate_runtime::batch::{Batch, Payload, PayloadSlots};
use spate_runtime::error::SourceError;
use spate_runtime::id::{Offset, Partition};
use spate_runtime::lane::source::{Filled, Lane, LaneWaker};

use super::shared::Shared;
use crate::order::{Head, Orders};

/// Bounds of one fill: enough to make its fixed cost small, little enough to stay in the cache.
const BATCH_PAYLOADS: u64 = 512;
const BATCH_BYTES: usize = 128 << 10;

pub(super) struct GeneratedLane {
    partition: Partition,
    orders: Orders,
    shared: Arc<Shared>,
    given: u64,
    ended: bool,
    /// Dropped before the arena they borrow from.
    slots: PayloadSlots,
    made: Vec<Made>,
    arena: Vec<u8>,
}

/// A record whose bytes stand in the arena.
struct Made {
    head: Head,
    value: Range<usize>,
    key: Range<usize>,
}

impl GeneratedLane {
    pub(super) fn new(partition: Partition, shared: Arc<Shared>) -> Self {
        Self {
            orders: Orders::partition(&shared.settings, partition.id, 0),
            partition,
            shared,
            given: 0,
            ended: false,
            slots: PayloadSlots::default(),
            made: Vec::new(),
            arena: Vec::new(),
        }
    }

    /// Generates at most `count` records into the arena; whether there will be more.
    fn generate(&mut self, count: u64) -> bool {
        for _ in 0..count {
            if self.arena.len() >= BATCH_BYTES {
                break;
            }
            let begin = self.arena.len();
            let Some(head) = self.orders.append_next(&mut self.arena) else { return false };
            let end = self.arena.len();
            self.arena.extend_from_slice(head.key().as_bytes());
            self.made
                .push(Made { head, value: begin..end, key: end..self.arena.len() });
            self.given += 1;
        }
        true
    }

    fn lend(&mut self) {
        for (token, made) in self.made.iter().enumerate() {
            let value = &self.arena[made.value.clone()];
            let payload = Payload {
                value: (!made.head.is_tombstone()).then_some(value),
                key: Some(&self.arena[made.key.clone()]),
                offset: Offset(made.head.offset),
                timestamp_ms: made.head.timestamp_ms,
                token,
            };
            // SAFETY: the arena is not touched before `release`, which clears the slots first, and
            // the slots are dropped before the arena.
            unsafe { self.slots.push(payload) };
        }
    }
}

impl Lane for GeneratedLane {
    fn fill(&mut self) -> Result<Filled, SourceError> {
        debug_assert!(self.made.is_empty(), "INV-L5: filled before the release");
        if self.ended {
            return Ok(Filled::Ended);
        }
        let allowed = self.shared.allowed(self.partition.id);
        let more = self.generate(BATCH_PAYLOADS.min(allowed.saturating_sub(self.given)));
        if !self.made.is_empty() {
            self.lend();
            return Ok(Filled::Payloads);
        }
        if more && self.given < self.shared.settings.records_in(self.partition.id) {
            return Ok(Filled::Empty);
        }
        self.ended = true;
        self.shared.lane_ended();
        Ok(Filled::Ended)
    }

    fn batch(&self) -> Batch<'_> {
        Batch::new(self.slots.as_slice(), &self.partition, None)
    }

    fn release(&mut self) {
        self.slots.clear();
        self.made.clear();
        self.arena.clear();
    }

    fn set_waker(&mut self, waker: LaneWaker) {
        self.shared.add_waker(waker);
    }
}
