//! Records in, rows out: nothing lost, nothing twice, nothing committed too early.

use spate_runtime::pipeline::Outcome;

use crate::sink::Script;
use crate::source::Event;
use crate::world::{World, assert_balanced, assert_same, odd};
use spate_runtime::error::Class;

#[test]
fn every_record_arrives_once_and_is_committed() {
    let world = World::new(4, 10_000);
    let ended = world.run_to_end(&[0, 1, 2, 3]);
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_same(&world.server.rows(), &odd(4, 10_000));
    for partition in 0..4 {
        assert_eq!(world.logs.committed(partition), Some(10_000));
    }
    assert_balanced(&ended);
    assert!(
        world
            .logs
            .with(|state| state.closed && state.live_lanes == 0)
    );
}

#[test]
fn rows_of_many_shards_arrive_once() {
    let world = World::sharded(3, 5_000, 7);
    let ended = world.run_to_end(&[0, 1, 2]);
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_same(&world.server.rows(), &odd(3, 5_000));
    assert_balanced(&ended);
}

#[test]
fn a_record_on_an_idle_lane_wakes_it() {
    let world = World::new(1, 0);
    let running = world.start(&[0]);
    world
        .logs
        .wait("the lane", |state| state.wakers.contains_key(&0));
    for number in [1, 3, 5] {
        world.logs.append(0, [number]);
        world
            .server
            .wait("the row", |state| state.rows.contains(&number));
    }
    running.handle().drain();
    assert_eq!(running.wait().outcome, Outcome::Drained);
    assert_eq!(world.logs.committed(0), Some(3));
}

/// R070: records that are all filtered are committed, with no insert.
#[test]
fn r070_filtered_records_are_committed() {
    let world = World::new(1, 0);
    world.logs.append(0, (0..1000).map(|number| number * 2));
    let running = world.start(&[0]);
    world.logs.wait("the commit", |state| {
        state
            .committed
            .get(&0)
            .is_some_and(|commit| commit.watermark.0 == 1000)
    });
    running.handle().drain();
    let ended = running.wait();
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_eq!(world.server.with(|state| state.inserts.len()), 0);
    let dropped = &ended.status.chains[0].stages[1].dropped;
    assert_eq!(dropped.load(std::sync::atomic::Ordering::Relaxed), 1000);
}

/// R007: while the sink is blocked nothing is committed but the start.
#[test]
fn r007_nothing_is_committed_before_it_is_durable() {
    let world = World::new(1, 0);
    world.logs.append(0, (0..100).map(|number| number * 2 + 1));
    world.server.block();
    let running = world.start(&[0]);
    world.server.wait("the insert", |state| state.waiting == 1);
    assert_eq!(world.logs.committed(0), Some(0));
    world.server.unblock();
    world.logs.wait("the commit", |state| {
        state
            .committed
            .get(&0)
            .is_some_and(|commit| commit.watermark.0 == 100)
    });
    running.handle().drain();
    assert_eq!(running.wait().outcome, Outcome::Drained);
    assert_eq!(world.server.rows().len(), 100);
}

/// An insert that was written but unheard is retried with the same token: no row comes twice.
#[test]
fn r110_a_lost_reply_duplicates_nothing() {
    let world = World::new(1, 100);
    world.server.script([Script::LoseReply, Script::LoseReply]);
    let ended = world.run_to_end(&[0]);
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_same(&world.server.rows(), &odd(1, 100));
    let inserts = world.server.with(|state| state.inserts.clone());
    assert_eq!(inserts.len(), 3, "{inserts:?}");
    assert!(inserts.iter().all(|(token, _)| *token == inserts[0].0));
}

#[test]
fn a_sink_that_recovers_is_retried_until_it_takes_the_rows() {
    let world = World::new(2, 1_000);
    world
        .server
        .script(std::iter::repeat_n(Script::Refuse(Class::Remote), 20));
    let ended = world.run_to_end(&[0, 1]);
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_same(&world.server.rows(), &odd(2, 1_000));
    assert_balanced(&ended);
}

/// The incarnation is committed before the first insert of a partition without a note.
#[test]
fn the_incarnation_is_committed_before_the_first_insert() {
    let world = World::new(1, 10);
    world
        .logs
        .with(|state| state.refuse_commits.extend([Class::Remote, Class::Remote]));
    let running = world.start(&[0]);
    world
        .logs
        .wait("the first commit", |state| !state.commits.is_empty());
    let first = world.logs.with(|state| state.commits[0][0].clone());
    assert_eq!(first.watermark.0, 0);
    world
        .server
        .wait("the insert", |state| !state.inserts.is_empty());
    let token = world.server.with(|state| state.inserts[0].0.clone());
    let incarnation = first.note.0.strip_prefix("spate1;i=").unwrap();
    assert!(token.ends_with(incarnation), "{token} of {incarnation}");
    running.handle().drain();
    assert_eq!(running.wait().outcome, Outcome::Drained);
}

/// R015: a refused commit is made up for by a later one, and nothing stops.
#[test]
fn r015_a_refused_commit_is_tried_again_with_what_is_newer() {
    let world = World::new(1, 10);
    let running = world.start(&[0]);
    world
        .logs
        .wait("the first commit", |state| state.committed.contains_key(&0));
    world
        .logs
        .with(|state| state.refuse_commits.extend([Class::Remote; 3]));
    world.logs.append(0, [11, 13]);
    world.logs.wait("the commit", |state| {
        state
            .committed
            .get(&0)
            .is_some_and(|commit| commit.watermark.0 == 12)
    });
    running.handle().drain();
    assert_eq!(running.wait().outcome, Outcome::Drained);
}

/// Memory stays within the budget, a frame per lane beside it, while the sink takes nothing.
#[test]
fn a_blocked_sink_holds_the_lanes_within_the_budget() {
    let mut world = World::new(4, 200_000);
    world.settings = "pipeline: { threads: 2, pin: off, admin: off, memory: 1MiB }\n\
                      out: { linger: 20ms, frame_bytes: 16KiB, batch_bytes: 64KiB }\n"
        .to_owned();
    world.server.block();
    let running = world.start(&[0, 1, 2, 3]);
    let status = std::sync::Arc::clone(running.handle().status());
    let all_blocked = || {
        let lanes = status.lanes();
        lanes.len() == 4
            && lanes
                .iter()
                .all(|lane| lane.shared.state() == spate_runtime::lane::shared::LaneState::Blocked)
    };
    world
        .logs
        .wait("four lanes", |state| state.wakers.len() == 4);
    while !all_blocked() {
        std::thread::yield_now();
    }
    let in_flight = status.pool.in_flight();
    assert!(in_flight <= (1 << 20) + 4 * (64 << 10), "{in_flight} bytes in flight");
    world.server.unblock();
    world.logs.end();
    let ended = running.wait();
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_same(&world.server.rows(), &odd(4, 200_000));
    assert_balanced(&ended);
}

/// Lanes that wait for memory are served at once by writers whose frames hold it, linger or not.
#[test]
fn a_full_budget_does_not_wait_for_the_linger() {
    // 32 lanes of 80,000 bytes each: no batch is ever full, all of them together are too much.
    let mut world = World::new(32, 20_000);
    world.settings =
        "pipeline: { threads: 2, pin: off, admin: off, memory: 1MiB, drain_timeout: 300s }\n\
         out: { linger: 100s, frame_bytes: 16KiB, batch_rows: 1000000000 }\n"
            .to_owned();
    let clock = spate_runtime::clock::Clock::real();
    let started = clock.now();
    let ended = world.run_to_end(&(0..32).collect::<Vec<_>>());
    assert!(clock.now() - started < std::time::Duration::from_secs(50), "waited for the linger");
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_same(&world.server.rows(), &odd(32, 20_000));
}

#[test]
fn an_empty_assignment_is_an_answer() {
    let world = World::new(1, 0);
    let running = world.start(&[]);
    while !running.handle().status().has_assignment() {
        std::thread::yield_now();
    }
    world.logs.tell(Event::Assign(vec![0]));
    world.logs.append(0, [1]);
    world.server.wait("the row", |state| state.rows == [1]);
    running.handle().drain();
    assert_eq!(running.wait().outcome, Outcome::Drained);
}
