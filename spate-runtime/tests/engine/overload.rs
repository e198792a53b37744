//! Memory under pressure, on counts: what is in flight stays within the budget and one payload's
//! fan-out per lane, whatever the sink does.

use std::sync::atomic::Ordering;

use spate_runtime::pipeline::{Ended, Outcome, Running};

use crate::chain::{HUGE, HUGE_BYTES};
use crate::world::{World, assert_balanced, assert_same, odd};

const BUDGET: usize = 1 << 20;
/// The largest class of memory that a frame of `frame_bytes` takes.
const FRAME: usize = 16 << 10;

/// A world whose lanes use up the budget long before their input ends.
fn world(partitions: u32, count: u64, shards: usize) -> World {
    let settings = format!(
        "pipeline: {{ threads: 2, pin: off, admin: off, memory: {BUDGET}B, commit_interval: 10ms, \
         pause_after: 1h }}\n\
         out: {{ linger: 20ms, frame_bytes: 8KiB, batch_bytes: 32KiB, queue_frames: 4, \
         retry_base: 1ms, retry_cap: 5ms }}\n"
    );
    World { settings, ..World::sharded(partitions, count, shards) }
}

/// Waits until reading has stopped: no lane moved between two looks that lie `WAKES` commits apart.
fn wait_until_blocked(running: &Running) {
    let status = running.handle().status();
    loop {
        let lanes = status.lanes();
        let blocked = lanes
            .iter()
            .all(|lane| lane.shared.state() == spate_runtime::lane::shared::LaneState::Blocked);
        if blocked && !lanes.is_empty() {
            return;
        }
        std::thread::yield_now();
    }
}

fn peak(ended: &Ended) -> usize {
    ended.status.pool.peak()
}

/// Holds INV-Q3: a sink that answers nothing: lanes stop at the budget, and lose nothing when it comes back.
#[test]
fn a_stalled_sink_holds_no_more_than_the_budget() {
    const LANES: u32 = 4;
    let world = world(LANES, 100_000, 1);
    world.server.block();
    let running = world.start(&[0, 1, 2, 3]);
    wait_until_blocked(&running);
    let held = running.handle().status().pool.held();
    assert!(held <= BUDGET + LANES as usize * FRAME, "{held} bytes with nothing written");
    assert!(held >= BUDGET / 2, "{held} bytes: the budget is used before reading stops");
    world.server.unblock();
    world.logs.end();
    let ended = running.wait();
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_same(&world.server.rows(), &odd(LANES, 100_000));
    assert!(peak(&ended) <= BUDGET + LANES as usize * FRAME, "{} bytes at most", peak(&ended));
    assert_balanced(&ended);
}

/// Holds INV-Q3: a sink that is slower than the lanes: the same bound, all along.
#[test]
fn a_slow_sink_holds_no_more_than_the_budget() {
    const LANES: u32 = 4;
    let world = world(LANES, 100_000, 3);
    world.server.with(|state| state.slowness = 200);
    let ended = world.run_to_end(&[0, 1, 2, 3]);
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_same(&world.server.rows(), &odd(LANES, 100_000));
    // One payload is one row: it makes the frame of one shard grow.
    assert!(peak(&ended) <= BUDGET + LANES as usize * FRAME, "{} bytes at most", peak(&ended));
    assert_balanced(&ended);
}

/// Holds INV-Q3: a record whose row is 16 times the budget goes through, and the bound is the budget and it.
#[test]
fn a_record_larger_than_the_budget_passes() {
    let world = world(1, 50_000, 1);
    world.logs.append(0, [HUGE]);
    world
        .logs
        .append(0, (0..50_000).map(|number| 100_000 + number * 2 + 1));
    let ended = world.run_to_end(&[0]);
    assert_eq!(ended.outcome, Outcome::Drained);
    let rows = world.server.rows();
    assert_eq!(rows.len(), 25_000 + 1 + 50_000);
    assert_eq!(rows.last(), Some(&HUGE));
    // The frame that grew for it is copied into one that holds it.
    let bound = BUDGET + HUGE_BYTES + 2 * FRAME;
    assert!((HUGE_BYTES..=bound).contains(&peak(&ended)), "{} bytes at most", peak(&ended));
    assert!(ended.status.pool.held() <= BUDGET, "what was taken for it is not kept");
    assert_balanced(&ended);
}

/// Holds INV-Q3: a thousand lanes that all have rows to give: a frame of 4 KiB each is four times the budget.
#[test]
fn a_thousand_partitions_hold_no_more_than_the_budget() {
    const LANES: u32 = 1_000;
    let world = world(LANES, 200, 1);
    world.server.block();
    let partitions: Vec<u32> = (0..LANES).collect();
    let running = world.start(&partitions);
    let status = running.handle().status();
    while !status.pool.is_over_budget() {
        std::thread::yield_now();
    }
    world.server.unblock();
    world.logs.end();
    let ended = running.wait();
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_same(&world.server.rows(), &odd(LANES, 200));
    // Two lane threads: two payloads can be in hand when the budget is passed.
    assert!(peak(&ended) <= BUDGET + 2 * FRAME, "{} bytes at most", peak(&ended));
    assert_balanced(&ended);
}

/// A shard that answers nothing: rows for the other one go on until a quarter of the budget is
/// parked for it, though its queue holds four frames.
#[test]
fn rows_for_other_shards_pass_one_that_answers_nothing() {
    let world = world(1, 400_000, 2);
    world.server.with(|state| state.blocked_shard = Some(0));
    let running = world.start(&[0]);
    wait_until_blocked(&running);
    let status = running.handle().status();
    let shards: Vec<u64> = status.sinks[0]
        .shards
        .iter()
        .map(|shard| shard.bytes.load(Ordering::Relaxed))
        .collect();
    // Both get half of the rows; what the other wrote is what was parked, queued and collected for
    // the one that is stuck.
    assert_eq!(shards[0], 0);
    let parked = BUDGET as u64 / 4;
    assert!(shards[1] >= parked / 10 * 9, "{} bytes passed", shards[1]);
    world.server.unblock();
    world.logs.end();
    let ended = running.wait();
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_same(&world.server.rows(), &odd(1, 400_000));
    assert_balanced(&ended);
}
