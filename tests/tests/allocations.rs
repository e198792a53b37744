//! In steady state a lane thread allocates nothing: decode, filter, state, map, split and RowBinary.
//!
//! A test binary of its own, because the allocator is the whole program's. What a sealed batch
//! costs on the I/O side is held by the ClickHouse connector's test of the same name.

#![expect(unsafe_code, reason = "an allocator is unsafe to implement; this one only counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use spate::Config;
use spate_datagen::{Orders, Settings};
use spate_runtime::batch::{Batch, Payload};
use spate_runtime::clock::Clock;
use spate_runtime::error::SourceError;
use spate_runtime::id::{NextOffset, Offset, Partition};
use spate_runtime::lane::drive::Step;
use spate_runtime::lane::source::{Filled, Lane, LaneWaker};
use spate_runtime::pipeline::RigSettings;
use spate_tests::orders;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting allocations and reallocations of the calling thread.
struct Counting;

// SAFETY: every call is passed on to `System` unchanged, which upholds the contract; counting in a
// constant-initialised thread-local without a destructor allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's contract is `System`'s.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's contract is `System`'s.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A lane over payloads that live for ever, so many at a time.
struct Memory {
    payloads: Vec<Payload<'static>>,
    partition: Partition,
    batch: std::ops::Range<usize>,
}

const PER_FILL: usize = 512;

impl Lane for Memory {
    fn fill(&mut self) -> Result<Filled, SourceError> {
        let begin = self.batch.end;
        self.batch = begin..self.payloads.len().min(begin + PER_FILL);
        Ok(if self.batch.is_empty() { Filled::Ended } else { Filled::Payloads })
    }

    fn batch(&self) -> Batch<'_> {
        Batch::new(&self.payloads[self.batch.clone()], &self.partition, None)
    }

    fn release(&mut self) {
        self.batch.start = self.batch.end;
    }

    fn set_waker(&mut self, _: LaneWaker) {}

    fn position(&self) -> Option<NextOffset> {
        None
    }
}

/// Orders with tombstones and duplicates among them, without what has to be copied to be decoded:
/// poison, which is told in words, and names with escapes.
fn payloads(records: u64) -> Vec<Payload<'static>> {
    let settings = Settings { poison_ppm: 0, empty_ppm: 0, ..Settings::default() };
    let settings = Settings { records: Some(records), ..settings };
    Orders::new(&settings)
        .filter(|record| {
            record
                .value
                .as_ref()
                .is_none_or(|value| !value.contains(&b'\\'))
        })
        .map(|record| Payload {
            value: record.value.map(|value| &*value.leak()),
            key: None,
            offset: Offset(record.head.offset),
            timestamp_ms: record.head.timestamp_ms,
            token: 0,
        })
        .collect()
}

#[test]
fn a_lane_thread_allocates_nothing_in_steady_state() {
    const RECORDS: u64 = 300_000;
    let partition = Partition::new("orders", 0);
    let payloads = payloads(RECORDS);
    let count = payloads.len() as u64;
    let lane = Memory { payloads, partition: partition.clone(), batch: 0..0 };
    let settings = RigSettings {
        shards: vec![2, 1, 1],
        frame_bytes: 16 << 10,
        queue_frames: 64,
        memory: 64 << 20,
    };
    let clock = Clock::manual();
    let mut rig =
        orders::pipeline(Config::empty()).rig(0, partition, Box::new(lane), &settings, &clock);
    let (mut rows, mut bytes, mut allocated) = (0, 0, 0);
    loop {
        // The first half fills the state, and brings every frame to its largest at the same time.
        let is_steady = rig.watermark().0 > RECORDS / 2;
        let before = ALLOCATIONS.get();
        let step = rig.step(clock.now());
        if is_steady {
            allocated += ALLOCATIONS.get() - before;
        }
        rig.take_frames(|frame| {
            rows += u64::from(frame.rows());
            bytes += frame.bytes().len();
            true
        });
        match step {
            Step::Moved | Step::Blocked => {}
            Step::Ended => break,
            other => panic!("the chain stopped: {other:?}"),
        }
    }
    assert!(rows > count / 2 && bytes > 10_000_000 / 2, "{rows} rows in {bytes} bytes of {count}");
    assert!(rig.watermark().0 > RECORDS - 100, "read to the end: {}", rig.watermark());
    assert_eq!(allocated, 0, "allocations for the second half of {count} records");
}
