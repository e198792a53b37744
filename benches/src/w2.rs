//! W2: fixed 64-byte records. Read, filter, map, hash to 4 shards, RowBinary, discard.
//!
//! No parser and no I/O: what is measured is the framework's own cost.

use std::convert::Infallible;
use std::sync::Arc;

use spate::prelude::*;

use crate::arena::Arena;
use crate::spate_side;
use crate::workload::{Ratio, Side, Sides, Workload};

/// This workload.
pub const WORKLOAD: Workload = Workload {
    name: "W2",
    what: "fixed 64-byte records: read, filter, map, 4 shards, RowBinary",
    records: 3_000_000,
    sides,
};

fn sides(records: u64) -> Sides {
    let arena = Arc::new(Arena::fixed(records));
    let [a, b] = std::array::from_fn(|_| Arc::clone(&arena));
    let sides = vec![
        Side::new("spate", move |discard| {
            let pipeline = ticks::pipeline(spate::Config::empty());
            spate_side::run(&mut spate_side::rig(&pipeline, &a, SHARDS), discard)
        }),
        Side::new("twin", move |discard| twin::run(&b, discard)),
    ];
    Sides::new(sides, vec![Ratio::at_most("spate", "twin", 1.15)]).with_rows(|_| ROW)
}

/// One record, read from its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    id: u64,
    key: u64,
    at_ms: i64,
    price: f64,
    qty: u32,
    flags: u32,
}

/// One row: 36 bytes of RowBinary.
#[derive(Clone, Copy, Debug, Row)]
pub struct TickRow {
    id: u64,
    pub(crate) key: u64,
    at_ms: i64,
    total: f64,
    qty: u32,
}

/// A payload is not 64 bytes long.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("payload has {0} bytes, expected 64")]
pub struct WrongLength(usize);

impl WrongLength {
    /// Of a payload of `len` bytes.
    #[must_use]
    pub const fn new(len: usize) -> Self {
        Self(len)
    }
}

/// Bytes of a row.
pub const ROW: usize = 36;
/// Shards of the sink.
pub const SHARDS: usize = 4;

/// Reads the fields of a record.
///
/// # Errors
///
/// When the payload is not 64 bytes long.
#[inline]
pub fn tick_of(value: &[u8]) -> Result<Tick, WrongLength> {
    let value: &[u8; 64] = value
        .try_into()
        .map_err(|_wrong: std::array::TryFromSliceError| WrongLength(value.len()))?;
    let (words, _) = value.as_chunks::<8>();
    let (halves, _) = words[4].as_chunks::<4>();
    Ok(Tick {
        id: u64::from_le_bytes(words[0]),
        key: u64::from_le_bytes(words[1]),
        at_ms: i64::from_le_bytes(words[2]),
        price: f64::from_le_bytes(words[3]),
        qty: u32::from_le_bytes(halves[0]),
        flags: u32::from_le_bytes(halves[1]),
    })
}

/// Whether a record is kept: seven of eight are.
#[inline]
#[must_use]
pub fn is_kept(tick: &Tick) -> bool {
    tick.flags != 0
}

/// The row of a record.
#[inline]
#[must_use]
pub fn row_of(tick: Tick) -> TickRow {
    TickRow {
        id: tick.id,
        key: tick.key,
        at_ms: tick.at_ms,
        total: tick.price * f64::from(tick.qty),
        qty: tick.qty,
    }
}

/// The pipeline.
#[pipeline]
pub mod ticks {
    use super::*;

    /// Where records come from: an arena, by way of a rig.
    #[source]
    fn input() -> Datagen<Json<Infallible>>;

    /// Where rows go: discarded by the rig.
    #[sink(key = key)]
    fn rows() -> ClickHouse<TickRow>;

    fn read(raw: Raw<'_>) -> Result<Tick, WrongLength> {
        raw.value().map_or(Err(WrongLength(0)), tick_of)
    }

    chain!({
        input
            .decode(read)
            .or_stop()
            .filter(is_kept)
            .map(row_of)
            .to(rows);
    });
}

/// The twin: a straight loop over the same payloads.
pub mod twin {
    use spate_runtime::chain::shard_key::ShardKey as _;

    use super::{SHARDS, is_kept, row_of, tick_of};
    use crate::arena::Arena;

    /// Bytes at which a shard's buffer is discarded: a frame's size.
    const FULL: usize = 256 << 10;

    /// Runs over `arena`; gives every full buffer to `discard`. Returns the rows.
    #[expect(clippy::cast_possible_truncation, reason = "the remainder is below SHARDS")]
    pub fn run(arena: &Arena, mut discard: impl FnMut(&[u8])) -> u64 {
        let mut shards: [Vec<u8>; SHARDS] = std::array::from_fn(|_| Vec::with_capacity(FULL + 64));
        let mut rows = 0;
        for value in arena.values() {
            let Ok(tick) = tick_of(value) else { break };
            if !is_kept(&tick) {
                continue;
            }
            let row = row_of(tick);
            // A power of two: the twin may use what it knows.
            let hash = row.key.shard_hash();
            let shard = &mut shards[((hash ^ (hash >> 32)) as usize) % SHARDS];
            shard.extend_from_slice(&row.id.to_le_bytes());
            shard.extend_from_slice(&row.key.to_le_bytes());
            shard.extend_from_slice(&row.at_ms.to_le_bytes());
            shard.extend_from_slice(&row.total.to_le_bytes());
            shard.extend_from_slice(&row.qty.to_le_bytes());
            rows += 1;
            if shard.len() >= FULL {
                discard(shard);
                shard.clear();
            }
        }
        shards.iter().for_each(|shard| discard(shard));
        rows
    }
}
