//! Nothing that data waits for is polled: threads and tasks are woken by what they wait for.

use std::sync::atomic::Ordering;

use spate_runtime::pipeline::{Outcome, Running};

use crate::world::{World, assert_balanced};

/// Linger so long that only a drain ends it: whatever else wakes a writer is not linger.
const SETTINGS: &str = "\
pipeline: { threads: 1, pin: off, admin: off, commit_interval: 10ms, drain_timeout: 3h }
out: { linger: 1h }
";

/// Turns of a writer that no row asks for: its first, and the one for a new lane. They may come as
/// late as the machine likes.
const TO_START: u64 = 2;

/// Wake-ups of lane threads, and of each shard's writer, so far.
fn wakes(running: &Running) -> (u64, Vec<u64>) {
    let status = running.handle().status();
    let shards = status.sinks[0].shards.iter();
    let turns = shards.map(|shard| shard.turns.load(Ordering::Relaxed));
    (status.lane_wakes(), turns.collect())
}

/// A hundred records, one at a time, through an idle pipeline: each wakes its lane once and the
/// writer of its shard once, no timer fires, and the other shard's writer sleeps on once it is started.
#[test]
fn a_record_wakes_its_lane_once_and_its_writer_once() {
    const RECORDS: u64 = 100;
    let world = World { settings: SETTINGS.to_owned(), ..World::sharded(1, 0, 2) };
    let running = world.start(&[0]);
    let waits = |state: &crate::source::State| state.wakers.contains_key(&0);
    world.logs.wait("the lane", waits);
    let status = running.handle().status();
    let handed_over = |count: u64| {
        while status.sinks[0].shared.pushed.load(Ordering::Relaxed) < count
            || status.sinks[0]
                .shared
                .queues
                .iter()
                .any(|queue| !queue.is_empty())
        {
            std::thread::yield_now();
        }
    };
    // Number 1 always takes the same shard.
    world.logs.append(0, [1]);
    handed_over(1);
    let (lane_before, writers_before) = wakes(&running);
    for count in 2..=RECORDS + 1 {
        world.logs.append(0, [1]);
        handed_over(count);
    }
    // A wake-up is counted when it is given: all of them are by now, but perhaps the writer's last.
    let (lane, writers) = wakes(&running);
    let lane = lane - lane_before;
    let mut writers: Vec<u64> = writers
        .iter()
        .zip(&writers_before)
        .map(|(a, b)| a - b)
        .collect();
    writers.sort_unstable();
    // A record that comes while the one before it is looked at needs no wake-up of its own.
    assert!((1..=RECORDS).contains(&lane), "{lane} wake-ups of the lane for {RECORDS} records");
    assert!(writers[0] <= TO_START, "{writers:?}: nothing came for the other shard");
    assert!((1..=RECORDS + TO_START).contains(&writers[1]), "{writers:?} wake-ups of writers");

    running.handle().drain();
    let ended = running.wait();
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_balanced(&ended);
    assert_eq!(world.server.rows().len() as u64, RECORDS + 1);
}

/// With linger: one wake-up for the frame, one for the linger, one for the answer.
#[test]
fn a_row_costs_its_writer_a_frame_a_linger_and_an_answer() {
    const ROUNDS: u64 = 20;
    let world = World::new(1, 0);
    let running = world.start(&[0]);
    world
        .logs
        .wait("the lane", |state| state.wakers.contains_key(&0));
    let commit = |round: u64| {
        world.logs.append(0, [round * 2 + 1]);
        world.logs.wait("the commit", |state| {
            let commit = state.committed.get(&0);
            commit.is_some_and(|commit| commit.watermark.0 == round + 1)
        });
    };
    commit(0);
    let (lane_before, writers_before) = wakes(&running);
    for round in 1..=ROUNDS {
        commit(round);
    }
    // The commit may be quicker than the writer on its way back to sleep: here the last, and before
    // the first round the one of record 0.
    while wakes(&running).1[0] < writers_before[0] + 3 * ROUNDS {
        std::thread::yield_now();
    }
    let (lane, writers) = wakes(&running);
    assert_eq!(lane - lane_before, ROUNDS);
    let turns = writers[0] - writers_before[0];
    assert!((3 * ROUNDS..=3 * ROUNDS + 1).contains(&turns), "{turns} turns in {ROUNDS} rounds");
    running.handle().drain();
    assert_eq!(running.wait().outcome, Outcome::Drained);
}
