//! What the tests of the cores share: lanes, frames, rows of chosen length. Test only.

use std::time::{Duration, Instant};

use crate::chain::frame::Frame;
use crate::chain::frame_buf::FrameBuf;
use crate::chain::pool::Pool;
use crate::chain::port::{Route, SinkShared};
use crate::chain::row::{Column, EncodeError, Row, RowEncoder, ValueEncoder};
use crate::id::{Epoch, NextOffset, Offset, Partition, ShardId, SinkId};
use crate::lane::shared::LaneShared;
use crate::ledger::Incarnation;
use crate::queue::ShardQueue;
use crate::sync::{Arc, AtomicU64};

/// A lane of partition `id` of topic `t`.
pub(crate) fn lane(id: u32, epoch: u64, start: u64) -> Arc<LaneShared> {
    let partition = Partition::new("t", id);
    Arc::new(LaneShared::new(partition, Epoch(epoch), Incarnation(7), NextOffset(start)))
}

/// A frame of `rows` rows of one byte over the payloads `first` to `last`, open in the ledger.
pub(crate) fn frame(
    lane: &Arc<LaneShared>,
    pool: &Arc<Pool>,
    rows: u32,
    first: u64,
    last: u64,
    opened_at: Instant,
) -> Frame {
    let mut buf = FrameBuf::new(Arc::clone(pool));
    (0..rows).for_each(|_| buf.push(1));
    Frame {
        group: lane.epoch.0,
        buf,
        key: lane.open(Offset(first)),
        lane: Arc::clone(lane),
        sink: SinkId(0),
        shard: ShardId(0),
        rows,
        first: Offset(first),
        last: Offset(last),
        opened_at,
    }
}

/// A sink as the ports see it.
pub(crate) fn sink(
    shards: usize,
    queue_frames: usize,
    frame_bytes: usize,
    pool: &Arc<Pool>,
) -> Arc<SinkShared> {
    Arc::new(SinkShared {
        sink: SinkId(0),
        name: "out",
        queues: (0..shards).map(|_| ShardQueue::new(queue_frames)).collect(),
        route: Route::Key,
        frame_bytes,
        linger: Duration::from_secs(1),
        by_lane: true,
        pool: Arc::clone(pool),
        pushed: AtomicU64::new(0),
        cut: AtomicU64::new(0),
        abandoned: AtomicU64::new(0),
        durable: AtomicU64::new(0),
    })
}

/// A row that says which payload it is of, in eight bytes, and is padded to `len` (at least 8).
#[derive(Clone, Copy, Debug)]
pub(crate) struct TestRow {
    pub(crate) of: u64,
    pub(crate) len: usize,
    pub(crate) bad: bool,
}

impl Row for TestRow {
    const NAME: &'static str = "TestRow";
    const COLUMNS: &'static [Column] = &[];

    fn binary_bound(&self) -> usize {
        self.len
    }

    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        encoder.u64(self.of)?;
        if self.bad {
            return Err(EncodeError::new("is bad").in_column("bad"));
        }
        encoder.fixed_bytes(&vec![0; self.len.saturating_sub(8)])
    }
}

/// Writes little-endian numbers and bytes as they are.
#[derive(Debug, Default)]
pub(crate) struct Plain;

impl RowEncoder for Plain {
    const NAME: &'static str = "Plain";

    fn encode<R: Row>(&mut self, row: &R, out: &mut FrameBuf) -> Result<(), EncodeError> {
        row.encode(&mut Values(out))
    }
}

struct Values<'a>(&'a mut FrameBuf);

macro_rules! refuse {
    ($($name:ident($($arg:ident: $t:ty),*);)*) => {$(
        fn $name(&mut self, $($arg: $t),*) -> Result<(), EncodeError> {
            $(let _ = $arg;)*
            Err(EncodeError::new(concat!(stringify!($name), " has no place in this test")))
        }
    )*};
}

impl ValueEncoder for Values<'_> {
    fn u64(&mut self, v: u64) -> Result<(), EncodeError> {
        self.0.extend(&v.to_le_bytes());
        Ok(())
    }

    fn fixed_bytes(&mut self, v: &[u8]) -> Result<(), EncodeError> {
        self.0.extend(v);
        Ok(())
    }

    refuse! {
        field(column: &'static Column);
        bool(v: bool);
        u8(v: u8);
        u16(v: u16);
        u32(v: u32);
        u128(v: u128);
        i8(v: i8);
        i16(v: i16);
        i32(v: i32);
        i64(v: i64);
        i128(v: i128);
        f32(v: f32);
        f64(v: f64);
        str(v: &str);
        bytes(v: &[u8]);
        uuid(v: [u8; 16]);
        ipv4(v: std::net::Ipv4Addr);
        ipv6(v: std::net::Ipv6Addr);
        date(days: i32);
        date32(days: i32);
        datetime(seconds: i64);
        datetime64(ticks: i64, scale: u8);
        decimal(unscaled: i128, precision: u8, scale: u8);
        none();
        some();
        array_begin(len: usize);
        array_end();
        item();
        map_begin(len: usize);
        map_key();
        map_value();
        map_end();
        tuple_begin(len: usize);
        tuple_end();
    }
}
