//! In steady state the lane thread of W1 and of W2 allocates nothing.
//!
//! A test binary of its own, because the allocator is the whole program's. What a sealed batch
//! costs on the I/O side is held by the ClickHouse connector's test of the same name.

#![expect(unsafe_code, reason = "an allocator is unsafe to implement; this one only counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use spate::Config;
use spate_benches::arena::Arena;
use spate_benches::{spate_side, w1, w2};
use spate_runtime::clock::Clock;
use spate_runtime::lane::drive::Step;

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

/// Runs `pipeline` over `arena`; the frames handed over in the second half, and its allocations.
///
/// Frames are small, so that the first half sees every shard hand over within one batch: that is
/// when most memory is out.
fn frames_and_allocations(pipeline: &spate::Pipeline, arena: Arena, shards: usize) -> (u64, u64) {
    let half = arena.payloads().len() as u64 / 2;
    let mut rig = spate_side::rig_with_frames(pipeline, &Arc::new(arena), shards, 16 << 10);
    let now = Clock::manual().now();
    let (mut read, mut frames, mut allocated) = (0, 0, 0);
    loop {
        let before = ALLOCATIONS.get();
        let step = rig.step(now);
        allocated += if read > half { ALLOCATIONS.get() - before } else { 0 };
        rig.take_frames(|_| {
            frames += u64::from(read > half);
            true
        });
        read = rig.watermark().0.max(read);
        match step {
            Step::Moved | Step::Blocked => {}
            Step::Ended => return (frames, allocated),
            other => panic!("the chain stopped: {other:?}"),
        }
    }
}

#[test]
fn the_lane_thread_of_a_workload_allocates_nothing_in_steady_state() {
    let cases = [
        ("W1", w1::orders::pipeline(Config::empty()), Arena::orders(60_000), 1),
        ("W2", w2::ticks::pipeline(Config::empty()), Arena::fixed(300_000), w2::SHARDS),
    ];
    for (name, pipeline, arena, shards) in cases {
        let (frames, allocated) = frames_and_allocations(&pipeline, arena, shards);
        assert!(frames > 100, "{name}: only {frames} frames in the second half");
        assert_eq!(allocated, 0, "{name}: allocations in the second half, {frames} frames");
    }
}
