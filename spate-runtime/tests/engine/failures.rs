//! What stops a pipeline stops it with the watermark before the payload, and says what it was.

use spate_runtime::error::Class;
use spate_runtime::pipeline::Outcome;

use crate::chain::{BOMB, MISFIT, POISON};
use crate::sink::Script;
use crate::world::{World, assert_balanced};

/// The ways a payload can stop its lane, and what the failure says.
const STOPPERS: [(u64, &str); 3] = [
    (BOMB, "operator `look` panicked on numbers[0] offset 5"),
    (POISON, "stage `look` stopped on numbers[0] offset 5: poison"),
    (MISFIT, "sink `out` cannot hold a `Number` of numbers[0] offset 5: column `n`"),
];

/// R073, R072: the lane stops before the payload, the other lane flushes and commits.
#[test]
fn r073_a_payload_that_stops_its_lane_is_named_and_not_passed() {
    for (stopper, says) in STOPPERS {
        let world = World::new(2, 0);
        let running = world.start(&[0, 1]);
        world.logs.append(1, [101, 103]);
        world
            .server
            .wait("the other lane", |state| state.rows.contains(&103));
        world.logs.append(0, [1, 3, 5, 7, 9, stopper, 11]);
        let ended = running.wait();
        assert_eq!(ended.outcome, Outcome::Failed, "{says}");
        let failures = ended.status.failures();
        assert!(failures[0].starts_with(says), "{failures:?}");
        assert_eq!(world.logs.committed(0), Some(5), "{says}");
        assert_eq!(world.logs.committed(1), Some(2), "{says}");
        assert_eq!(world.server.rows(), [1, 3, 5, 7, 9, 101, 103], "{says}");
        assert_balanced(&ended);
    }
}

/// R107: a sink-wide refusal drops nothing and commits nothing past it.
#[test]
fn r107_a_refused_batch_stops_with_the_watermark_before_it() {
    let world = World::new(1, 100);
    world
        .server
        .script(std::iter::repeat_n(Script::Refuse(Class::Config), 1000));
    let running = world.start(&[0]);
    let ended = running.wait();
    assert_eq!(ended.outcome, Outcome::Failed);
    let failures = ended.status.failures();
    assert!(failures[0].starts_with("sink `out` shard 0 refused batch"), "{failures:?}");
    assert!(world.logs.committed(0) <= Some(1), "offset 1 holds the first row");
    assert_eq!(world.server.rows(), []);
    assert_balanced(&ended);
}

#[test]
fn a_commit_that_is_refused_for_good_stops_the_pipeline() {
    let world = World::new(1, 10);
    world
        .logs
        .with(|state| state.refuse_commits.extend([Class::Config; 100]));
    let ended = world.start(&[0]).wait();
    assert_eq!(ended.outcome, Outcome::Failed);
    assert!(ended.status.failures()[0].contains("commit refused by the test"));
}

/// R123: the drain's deadline passes, the exit says so, nothing is committed past what is durable.
#[test]
fn r123_a_drain_past_its_deadline_gives_up_and_says_so() {
    let mut world = World::new(1, 0);
    world.settings = "pipeline: { threads: 1, pin: off, admin: off, drain_timeout: 300ms }\n\
                      out: { linger: 20ms, retry_base: 1ms, retry_cap: 5ms }\n"
        .to_owned();
    world.logs.append(0, [1, 3, 5]);
    world.server.block();
    let running = world.start(&[0]);
    world.server.wait("the insert", |state| state.waiting == 1);
    running.handle().drain();
    let ended = running.wait();
    assert_eq!(ended.outcome, Outcome::DeadlinePassed);
    assert_eq!(world.logs.committed(0), Some(0));
    assert_balanced(&ended);
}

#[test]
fn an_abort_does_not_wait_for_the_deadline() {
    let world = World::new(1, 0);
    world.logs.append(0, [1, 3, 5]);
    world.server.block();
    let running = world.start(&[0]);
    world.server.wait("the insert", |state| state.waiting == 1);
    running.handle().drain();
    running.handle().abort();
    assert_eq!(running.wait().outcome, Outcome::DeadlinePassed);
    assert_eq!(world.logs.committed(0), Some(0));
}

/// A linger longer than the test: a drain seals at once what waits for it.
#[test]
fn r123_a_drain_does_not_wait_for_the_linger() {
    let mut world = World::new(1, 0);
    world.settings =
        "pipeline: { threads: 1, pin: off, admin: off, drain_timeout: 70s }\nout: { linger: 60s, retry_cap: 5s }\n".to_owned();
    world.logs.append(0, [1, 3, 5]);
    let running = world.start(&[0]);
    let status = std::sync::Arc::clone(running.handle().status());
    while status
        .lanes()
        .iter()
        .all(|lane| lane.shared.position().0 < 3)
    {
        std::thread::yield_now();
    }
    let clock = spate_runtime::clock::Clock::real();
    let asked = clock.now();
    running.handle().drain();
    let ended = running.wait();
    assert!(clock.now() - asked < std::time::Duration::from_secs(30), "waited for the linger");
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_eq!(world.server.rows(), [1, 3, 5]);
}
