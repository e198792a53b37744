//! Payloads in one arena, built before anything is measured, and a lane over them.

#![expect(unsafe_code, reason = "a lane's payloads borrow from the arena it keeps alive")]

use std::sync::Arc;

use spate_datagen::{Orders, Settings, Shape};
use spate_runtime::batch::{Batch, Payload, PayloadSlots};
use spate_runtime::error::SourceError;
use spate_runtime::id::{Offset, Partition};
use spate_runtime::lane::source::{Filled, Lane, LaneWaker};

/// Payloads one behind the other, and where each of them is.
#[derive(Debug)]
pub struct Arena {
    /// Never touched again: the slots borrow from it.
    bytes: Vec<u8>,
    slots: PayloadSlots,
}

impl Arena {
    fn new(bytes: Vec<u8>, ends: &[usize]) -> Self {
        let mut slots = PayloadSlots::with_capacity(ends.len());
        let mut start = 0;
        for (index, end) in ends.iter().enumerate() {
            let payload = Payload {
                value: Some(&bytes[start..*end]),
                key: None,
                offset: Offset(index as u64),
                timestamp_ms: i64::MIN,
                token: 0,
            };
            // SAFETY: the bytes move into the arena beside the slots; a `Vec` that moves leaves
            // its heap memory where it is, and nothing changes it while the arena lives.
            unsafe { slots.push(payload) };
            start = *end;
        }
        Self { bytes, slots }
    }

    /// W1's input: JSON orders of ten fields, 13 of 64 cancelled.
    #[must_use]
    pub fn orders(records: u64) -> Self {
        let settings = Settings { shape: Shape::Wide, ..Settings::clean(records) };
        Self::next_orders(&mut Orders::new(&settings), records)
    }

    /// The same orders in `parts` arenas, one part behind the other, the last one with what is over.
    #[must_use]
    pub fn orders_in(records: u64, parts: u64) -> Vec<Self> {
        let settings = Settings { shape: Shape::Wide, ..Settings::clean(records) };
        let mut orders = Orders::new(&settings);
        (1..=parts)
            .map(|part| if part < parts { records / parts } else { u64::MAX })
            .map(|most| Self::next_orders(&mut orders, most))
            .collect()
    }

    /// The next orders, `most` of them unless they end before.
    fn next_orders(orders: &mut Orders, most: u64) -> Self {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        while (ends.len() as u64) < most && orders.append_next(&mut bytes).is_some() {
            ends.push(bytes.len());
        }
        Self::new(bytes, &ends)
    }

    /// W2's input: 64 bytes each: id, key, timestamp, price (f64), quantity, flags, 24 bytes more.
    #[must_use]
    pub fn fixed(records: u64) -> Self {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        let mut random = 1u64;
        for id in 0..records {
            // SplitMix64's step: good enough to scatter keys and flags.
            random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let key = (random ^ (random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let cents = u32::try_from(key >> 48).unwrap_or(0);
            bytes.extend(id.to_le_bytes());
            bytes.extend(key.to_le_bytes());
            bytes.extend((1_700_000_000_000 + id).to_le_bytes());
            bytes.extend((f64::from(cents) / 100.0).to_le_bytes());
            bytes.extend((cents % 50 + 1).to_le_bytes());
            bytes.extend((cents % 8).to_le_bytes());
            bytes.extend([0x5a; 24]);
            ends.push(bytes.len());
        }
        Self::new(bytes, &ends)
    }

    /// All payloads in order.
    #[must_use]
    pub fn payloads(&self) -> &[Payload<'_>] {
        self.slots.as_slice()
    }

    /// Bytes in all payloads.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The values of all payloads in order.
    pub fn values(&self) -> impl Iterator<Item = &[u8]> {
        self.payloads().iter().filter_map(|payload| payload.value)
    }
}

/// Payloads a fill gives out at most: as many as the Kafka source's default.
pub const FILL: usize = 1024;

/// Reads an arena once.
#[derive(Debug)]
pub struct ArenaLane {
    arena: Arc<Arena>,
    partition: Partition,
    fill: usize,
    batch: std::ops::Range<usize>,
}

impl ArenaLane {
    /// Starts at the first payload.
    #[must_use]
    pub const fn new(arena: Arc<Arena>, partition: Partition) -> Self {
        Self { arena, partition, fill: FILL, batch: 0..0 }
    }

    /// Gives out at most `fill` payloads at a time instead of [`FILL`].
    #[must_use]
    pub const fn with_fill(mut self, fill: usize) -> Self {
        self.fill = fill;
        self
    }
}

impl Lane for ArenaLane {
    fn fill(&mut self) -> Result<Filled, SourceError> {
        let start = self.batch.end;
        self.batch = start..self.arena.payloads().len().min(start + self.fill);
        Ok(if self.batch.is_empty() { Filled::Ended } else { Filled::Payloads })
    }

    fn batch(&self) -> Batch<'_> {
        Batch::new(&self.arena.payloads()[self.batch.clone()], &self.partition, None)
    }

    fn release(&mut self) {
        self.batch = self.batch.end..self.batch.end;
    }

    fn set_waker(&mut self, _: LaneWaker) {}
}
