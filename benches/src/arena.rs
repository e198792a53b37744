//! Payloads in one arena, built before anything is measured, and a lane over them.

#![expect(unsafe_code, reason = "a lane's payloads borrow from the arena it keeps alive")]

use std::sync::Arc;

use spate_datagen::{Orders, Settings, Shape};
use spate_runtime::batch::{Batch, Payload, PayloadSlots};
use spate_runtime::error::SourceError;
use spate_runtime::id::{Offset, Partition};
use spate_runtime::lane::source::{Filled, Lane, LaneWaker};

/// Payloads one behind the other.
#[derive(Debug, Default)]
pub struct Arena {
    bytes: Vec<u8>,
    /// End of each payload in `bytes`.
    ends: Vec<usize>,
}

impl Arena {
    /// W1's input: JSON orders of ten fields, 13 of 64 cancelled.
    #[must_use]
    pub fn orders(records: u64) -> Self {
        let settings = Settings { shape: Shape::Wide, ..Settings::clean(records) };
        let mut orders = Orders::new(&settings);
        let mut arena = Self::default();
        while orders.append_next(&mut arena.bytes).is_some() {
            arena.ends.push(arena.bytes.len());
        }
        arena
    }

    /// W2's input: 64 bytes each: id, key, timestamp, price (f64), quantity, flags, 24 bytes more.
    #[must_use]
    pub fn fixed(records: u64) -> Self {
        let mut arena = Self::default();
        let mut random = 1u64;
        for id in 0..records {
            // SplitMix64's step: good enough to scatter keys and flags.
            random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let key = (random ^ (random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let cents = u32::try_from(key >> 48).unwrap_or(0);
            arena.bytes.extend(id.to_le_bytes());
            arena.bytes.extend(key.to_le_bytes());
            arena.bytes.extend((1_700_000_000_000 + id).to_le_bytes());
            arena.bytes.extend((f64::from(cents) / 100.0).to_le_bytes());
            arena.bytes.extend((cents % 50 + 1).to_le_bytes());
            arena.bytes.extend((cents % 8).to_le_bytes());
            arena.bytes.extend([0x5a; 24]);
            arena.ends.push(arena.bytes.len());
        }
        arena
    }

    /// How many payloads.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes in all payloads.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Payload `index`.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[index]]
    }

    /// All payloads in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.get(index))
    }
}

/// Payloads a fill gives out at most: as many as the Kafka source's default.
pub const FILL: usize = 1024;

/// Reads an arena once.
#[derive(Debug)]
pub struct ArenaLane {
    arena: Arc<Arena>,
    partition: Partition,
    next: usize,
    slots: PayloadSlots,
}

impl ArenaLane {
    /// Starts at the first payload.
    #[must_use]
    pub fn new(arena: Arc<Arena>, partition: Partition) -> Self {
        Self { arena, partition, next: 0, slots: PayloadSlots::with_capacity(FILL) }
    }
}

impl Lane for ArenaLane {
    fn fill(&mut self) -> Result<Filled, SourceError> {
        if self.next == self.arena.len() {
            return Ok(Filled::Ended);
        }
        let end = self.arena.len().min(self.next + FILL);
        for index in self.next..end {
            let payload = Payload {
                value: Some(self.arena.get(index)),
                key: None,
                offset: Offset(index as u64),
                timestamp_ms: i64::MIN,
                token: 0,
            };
            // SAFETY: the arena is behind an `Arc` of this lane and never changes.
            unsafe { self.slots.push(payload) };
        }
        self.next = end;
        Ok(Filled::Payloads)
    }

    fn batch(&self) -> Batch<'_> {
        Batch::new(self.slots.as_slice(), &self.partition, None)
    }

    fn release(&mut self) {
        self.slots.clear();
    }

    fn set_waker(&mut self, _: LaneWaker) {}
}
