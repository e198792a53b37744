//! What is counted in instructions: sides of workloads, and single parts of the record path.
//!
//! Each does its work `n` times, or over `n` records; counting it at `n` and at `2 n` and taking the
//! difference leaves start-up out, the growth of the first frames included.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use spate::prelude::*;
use spate_clickhouse::RowBinary;
use spate_file::Ndjson;
use spate_runtime::chain::frame_buf::FrameBuf;
use spate_runtime::chain::pool::Pool;
use spate_runtime::chain::port::{Port, Route, SinkShared};
use spate_runtime::chain::row::RowEncoder;
use spate_runtime::chain::shard_key::ShardKey as _;
use spate_runtime::clock::Clock;
use spate_runtime::id::{Epoch, NextOffset, Offset, Partition, SinkId};
use spate_runtime::lane::shared::LaneShared;
use spate_runtime::ledger::Incarnation;
use spate_runtime::queue::{Parker, ShardQueue};

use crate::arena::Arena;
use crate::w1::{OrderIn, OrderRow};
use crate::w2::{Tick, TickRow};
use crate::{w1, w2, workload};

/// Something whose instructions are counted.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// Its name; for a side `WORKLOAD SIDE`.
    pub name: &'static str,
    /// What there are `n` of.
    pub unit: &'static str,
    /// How many at first; then twice as many.
    pub n: u64,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// The side of a workload, of this name.
    Side(&'static str, &'static str),
    /// Makes what is measured.
    Part(fn(n: u64) -> Work),
}

/// What is measured, ready to run.
type Work = Box<dyn FnMut()>;

/// Everything that is counted, in the order of the file.
pub const COUNTED: &[Counted] = &[
    side("W1 spate", "record", 4_000, "W1", "spate"),
    side("W1 twin serde_json str", "record", 4_000, "W1", "twin serde_json str"),
    side("W1 twin sonic-rs", "record", 4_000, "W1", "twin sonic-rs"),
    side("W1 spate derived", "record", 4_000, "W1", "spate derived"),
    side("W1 twin derived", "record", 4_000, "W1", "twin derived"),
    side("W2 spate", "record", 100_000, "W2", "spate"),
    side("W2 twin", "record", 100_000, "W2", "twin"),
    side("W5 spate", "frame", 50_000, "W5", "spate"),
    side("W5 twin", "frame", 50_000, "W5", "twin"),
    part("push, one shard", "row", 50_000, |n| push_key(n, 1)),
    part("push, u64 key, 4 shards", "row", 50_000, |n| push_key(n, 4)),
    part("push, 36-byte key, 5 shards", "row", 50_000, push_text),
    part("RowBinary, five numbers", "row", 50_000, |n| encode_ticks::<RowBinary>(n)),
    part("RowBinary, six numbers and four texts", "row", 20_000, |n| encode_orders::<RowBinary>(n)),
    part("NDJSON, five numbers", "row", 5_000, |n| encode_ticks::<Ndjson>(n)),
    part("NDJSON, six numbers and four texts", "row", 5_000, |n| encode_orders::<Ndjson>(n)),
    part("queue, offer and take", "frame", 20_000, queue),
    part("queue, refuse", "frame", 20_000, refuse),
    part("pool, take and give", "frame", 20_000, pool),
];

/// Ratios of counts that must hold on every machine: no more instructions than so many times those
/// of the twin.
pub const RATIOS: &[(&str, &str, f64)] = &[
    ("W1 spate", "W1 twin serde_json str", 1.05),
    ("W1 spate", "W1 twin sonic-rs", 1.05),
    ("W1 spate derived", "W1 twin sonic-rs", 0.5),
    // Wanted are 1.05: the loop's own instructions weigh more the less the decoder needs.
    ("W1 spate derived", "W1 twin derived", 1.05),
    ("W2 spate", "W2 twin", 1.10),
    ("W5 spate", "W5 twin", 2.0),
];

const fn side(
    name: &'static str,
    unit: &'static str,
    n: u64,
    workload: &'static str,
    side: &'static str,
) -> Counted {
    Counted { name, unit, n, what: What::Side(workload, side) }
}

const fn part(name: &'static str, unit: &'static str, n: u64, make: fn(u64) -> Work) -> Counted {
    Counted { name, unit, n, what: What::Part(make) }
}

impl Counted {
    /// Makes the work, `n` times of it.
    ///
    /// # Panics
    ///
    /// If the table names a side that is not there.
    #[must_use]
    pub fn work(&self, n: u64) -> Work {
        match self.what {
            What::Part(make) => make(n),
            What::Side(workload, name) => {
                let workload = workload::find(workload).expect("the table names workloads");
                let sides = (workload.sides)(n);
                Box::new(move || {
                    let side = sides.side(name).expect("the table names sides");
                    black_box(side.run(&mut |bytes| {
                        black_box(bytes);
                    }));
                })
            }
        }
    }
}

/// Runs `work`. A symbol of its own: the counter counts within it alone.
#[inline(never)]
pub fn measured(work: &mut dyn FnMut()) {
    work();
}

/// A row of its key alone: what is left of a push is the way to the shard and the marks.
#[derive(Debug, Row)]
struct KeyRow {
    key: u64,
}

#[derive(Debug, Row)]
struct TextRow<'a> {
    key: &'a str,
}

/// A port into a sink of `shards` shards, and the sink.
fn port(shards: usize) -> (Port<RowBinary>, Arc<SinkShared>) {
    let shared = Arc::new(SinkShared {
        sink: SinkId(0),
        name: "rows",
        queues: (0..shards).map(|_| ShardQueue::new(64)).collect(),
        route: Route::Key,
        frame_bytes: 64 << 10,
        linger: Duration::from_secs(1),
        by_lane: true,
        pool: Pool::new(64 << 20),
        pushed: AtomicU64::new(0),
        cut: AtomicU64::new(0),
        abandoned: AtomicU64::new(0),
        durable: AtomicU64::new(0),
    });
    let lane = LaneShared::new(Partition::new("t", 0), Epoch(1), Incarnation(0), NextOffset(0));
    let (slot, now) = (Parker::new().slot(), Clock::manual().now());
    (Port::new(Arc::clone(&shared), Arc::new(lane), slot, now), shared)
}

/// The end of a payload, with the writer that takes what is full.
#[inline]
fn end_of_payload(port: &mut Port<RowBinary>, shared: &SinkShared) {
    if port.attention() {
        port.core_mut().end_of_payload();
        for queue in &shared.queues {
            if let Some(frame) = queue.try_recv() {
                frame.resolve();
            }
        }
    }
}

fn push_key(n: u64, shards: usize) -> Work {
    let (mut port, shared) = port(shards);
    Box::new(move || {
        for at in 0..n {
            port.push(&KeyRow { key: at }, Offset(at), |row| row.key.shard_hash());
            end_of_payload(&mut port, &shared);
        }
    })
}

fn push_text(n: u64) -> Work {
    let (mut port, shared) = port(5);
    let keys: Vec<String> = (0..64).map(|key| format!("{key:036}")).collect();
    Box::new(move || {
        for (at, key) in (0..n).zip(keys.iter().cycle()) {
            port.push(&TextRow { key }, Offset(at), |row| row.key.shard_hash());
            end_of_payload(&mut port, &shared);
        }
    })
}

/// Encodes `rows` in turn, `n` in all, into a frame that is emptied when it is full.
fn encode<E: RowEncoder, R: Row + 'static>(rows: Vec<R>, n: u64) -> Work {
    let mut encoder = E::default();
    let mut out = FrameBuf::new(Pool::new(64 << 20));
    Box::new(move || {
        for (_, row) in (0..n).zip(rows.iter().cycle()) {
            let done = encoder.encode(black_box(row), &mut out);
            assert_eq!(done, Ok(()));
            if out.len() >= 250 << 10 {
                out.truncate(0);
            }
        }
    })
}

fn encode_ticks<E: RowEncoder>(n: u64) -> Work {
    let arena = Arena::fixed(64);
    let ticks = arena.values().map(w2::tick_of);
    let rows: Vec<TickRow> = ticks
        .map(|tick: Result<Tick, _>| w2::row_of(tick.expect("64 bytes")))
        .collect();
    encode::<E, _>(rows, n)
}

fn encode_orders<E: RowEncoder>(n: u64) -> Work {
    let arena: &'static Arena = Box::leak(Box::new(Arena::orders(64)));
    let orders = arena.values().map(serde_json::from_slice);
    let rows: Vec<OrderRow<'static>> = orders
        .map(|order: Result<OrderIn<'static>, _>| w1::row_of(order.expect("an order")))
        .collect();
    encode::<E, _>(rows, n)
}

fn queue(n: u64) -> Work {
    let (queue, slot) = (ShardQueue::new(64), Parker::new().slot());
    Box::new(move || {
        for item in 0..n {
            assert!(queue.offer(item, &slot).is_ok());
            black_box(queue.try_recv());
        }
    })
}

fn refuse(n: u64) -> Work {
    let (queue, slot) = (ShardQueue::new(1), Parker::new().slot());
    assert!(queue.offer(0, &slot).is_ok());
    Box::new(move || {
        for item in 0..n {
            assert!(queue.offer(item, &slot).is_err());
        }
    })
}

fn pool(n: u64) -> Work {
    let pool = Pool::new(64 << 20);
    Box::new(move || {
        for _ in 0..n {
            pool.give(black_box(pool.take(256 << 10)));
        }
    })
}
