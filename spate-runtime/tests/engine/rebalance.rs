//! Partitions come and go: flushed within the bound, void past it, never lost.

use spate_runtime::pipeline::Outcome;

use crate::source::{Event, partition};
use crate::world::{World, assert_balanced, assert_same, odd};

/// R012: what was not revoked goes on, and what was is flushed and committed before it is given up.
#[test]
fn r012_a_revoked_partition_is_flushed_and_committed_alone() {
    let world = World::new(2, 101);
    let running = world.start(&[0, 1]);
    world
        .logs
        .wait("both lanes", |state| state.wakers.len() == 2);
    world.logs.tell(Event::Revoke(vec![1]));
    world
        .logs
        .wait("the release", |state| state.released == [partition(1)]);
    let committed = world.logs.committed(1).unwrap();
    let rows = world.server.rows();
    let of_one = rows.iter().filter(|row| **row >= 1_000_000).count() as u64;
    assert_eq!(of_one, committed / 2, "every row below the watermark, none above");
    world.logs.append(0, [999]);
    world
        .server
        .wait("the other partition", |state| state.rows.contains(&999));
    running.handle().drain();
    let ended = running.wait();
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_balanced(&ended);
}

/// Revoked past its bound and given back to the same process: acks of the old epoch are void, and
/// every row arrives.
#[test]
fn r019_a_partition_revoked_past_its_bound_comes_back_whole() {
    let mut world = World::new(1, 1_000);
    world.settings = "pipeline: { threads: 1, pin: off, admin: off, revoke_timeout: 50ms, commit_interval: 10ms }\n\
                      out: { linger: 20ms, retry_base: 1ms, retry_cap: 5ms }\n"
        .to_owned();
    world.server.block();
    let running = world.start(&[0]);
    world
        .server
        .wait("an insert on the wire", |state| state.waiting >= 1);
    world.logs.tell(Event::Revoke(vec![0]));
    world
        .logs
        .wait("the release", |state| state.released == [partition(0)]);
    assert_eq!(world.logs.committed(0), Some(1), "the first row is not durable");
    world.logs.tell(Event::Assign(vec![0]));
    world
        .logs
        .wait("the new lane", |state| state.wakers.contains_key(&0));
    world.server.unblock();
    world.logs.end();
    let ended = running.wait();
    assert_eq!(ended.outcome, Outcome::Drained);
    let mut rows = world.server.rows();
    rows.dedup();
    assert_same(&rows, &odd(1, 1_000));
    assert_eq!(world.logs.committed(0), Some(1_000));
    assert_balanced(&ended);
}

/// R018: the same partition goes and comes a hundred times; every record of every life arrives.
#[test]
fn r018_a_partition_that_comes_and_goes_loses_nothing() {
    let world = World::new(1, 0);
    let running = world.start(&[0]);
    let mut expected = Vec::new();
    for life in 0..100u64 {
        let numbers: Vec<u64> = (0..10).map(|number| (life * 10 + number) * 2 + 1).collect();
        world.logs.append(0, numbers.iter().copied());
        expected.extend(&numbers);
        let lives = usize::try_from(life).unwrap() + 1;
        if life % 2 == 0 {
            let last = numbers[9];
            world
                .server
                .wait("the rows of this life", |state| state.rows.contains(&last));
        }
        world.logs.tell(Event::Revoke(vec![0]));
        world
            .logs
            .wait("the release", |state| state.released.len() == lives);
        world.logs.tell(Event::Assign(vec![0]));
    }
    world.logs.end();
    let ended = running.wait();
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_same(&world.server.rows(), &expected);
    assert_balanced(&ended);
}

#[test]
fn a_lost_partition_is_not_committed_and_is_released() {
    let world = World::new(1, 0);
    world.logs.append(0, [1, 3, 5]);
    world.server.block();
    let running = world.start(&[0]);
    world.server.wait("the insert", |state| state.waiting == 1);
    let commits = world.logs.with(|state| state.commits.len());
    world.logs.tell(Event::Lose(vec![0]));
    world
        .logs
        .wait("the release", |state| state.released == [partition(0)]);
    assert_eq!(world.logs.with(|state| state.commits.len()), commits);
    world.server.unblock();
    running.handle().drain();
    let ended = running.wait();
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_balanced(&ended);
}

/// R024: stop at once after the start, over and over; it always ends.
#[test]
fn r024_a_stop_right_after_the_start_ends() {
    for _ in 0..50 {
        let world = World::new(2, 100);
        let running = world.start(&[0, 1]);
        running.handle().drain();
        let ended = running.wait();
        assert_eq!(ended.outcome, Outcome::Drained);
        assert_balanced(&ended);
        assert!(world.logs.with(|state| state.closed));
    }
}
