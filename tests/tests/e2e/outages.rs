//! A sink that is slow, away, overloaded, or not heard.

use std::collections::BTreeMap;
use std::time::Duration;

use spate_runtime::clock::Clock;
use spate_tests::copies;

use crate::support::{Run, World, until};

/// R110: the server has the rows, the answer is lost, the same bytes go out again.
#[test]
fn r110_inserts_committed_but_unheard_are_retried_and_leave_one_copy() {
    let Some(world) = World::new("r110", 2) else { return };
    let run = Run::start(copies::pipeline, &world.yaml().set("rows.batch_rows", 1000));
    run.until_lanes(2);
    world
        .clickhouse
        .fault("mode=drop_after&count=5&match=INSERT");
    world.producer().numbers(&world.topic, 2, 0..20_000);
    world.until_all_committed(&run);
    let report = run.drain();
    world.check_exact(20_000);
    let inserts = world.clickhouse.inserts(&world.rows);
    let unheard: Vec<_> = inserts
        .iter()
        .filter(|insert| insert.fault.is_some())
        .collect();
    assert_eq!(unheard.len(), 5, "{report}");
    let mut sent: BTreeMap<&str, usize> = BTreeMap::new();
    for insert in &inserts {
        *sent.entry(&insert.token).or_default() += 1;
    }
    for insert in unheard {
        assert!(insert.executed && insert.rows > 0, "{insert:?}");
        assert!(sent[&*insert.token] > 1, "sent again under the same token: {insert:?}");
    }
}

/// A port that is closed for ten seconds: nothing is lost, and nothing is committed meanwhile.
#[test]
fn a_clickhouse_that_is_down_for_ten_seconds_is_waited_for() {
    let Some(world) = World::new("down", 2) else { return };
    let run = Run::start(copies::pipeline, &world.yaml());
    world.producer().numbers(&world.topic, 2, 0..1000);
    world.until_all_committed(&run);
    world.clickhouse.down(Duration::from_secs(10));
    world.producer().numbers(&world.topic, 2, 1000..20_000);
    let mut looks = 0;
    until("it is up again", || {
        let committed = world.committed_sum();
        let is_up = world.clickhouse.is_up();
        if !is_up {
            looks += 1;
            assert_eq!(committed, 1000, "committed what cannot be durable");
        }
        is_up
    });
    assert!(looks > 3, "looked {looks} times while it was down");
    world.until_all_committed(&run);
    let report = run.drain();
    assert!(report.snapshot.sinks[0].retries > 0, "{report}");
    world.check_exact(20_000);
}

/// Starts over a sink that fails in one way, then in the next; all rows land once.
#[test]
fn answers_500_and_252_and_241_are_retried_until_they_pass() {
    let Some(world) = World::new("overloaded", 2) else { return };
    let run = Run::start(copies::pipeline, &world.yaml());
    run.until_lanes(2);
    let producer = world.producer();
    let mut count = 0;
    for fault in ["mode=http&status=500", "mode=error&code=252", "mode=error&code=241"] {
        let before = world.clickhouse.inserts(&world.rows).len();
        world
            .clickhouse
            .fault(&format!("{fault}&count=0&match=INSERT"));
        producer.numbers(&world.topic, 2, count..count + 2000);
        let struck = || world.clickhouse.inserts(&world.rows).len() - before;
        until("it is refused several times", || struck() >= 6);
        assert_eq!(world.committed_sum(), count, "the commit is held: {fault}");
        assert_eq!(world.count(), count, "{fault}");
        assert!(!run.is_ended(), "{fault}");
        world.clickhouse.heal();
        count += 2000;
        world.until_all_committed(&run);
    }
    run.drain();
    world.check_exact(count);
}

/// R140: a sink that is not there yet is waited for; rows flow as soon as it is.
#[test]
fn r140_a_clickhouse_that_comes_up_later_is_waited_for_at_the_start() {
    let Some(world) = World::new("r140", 1) else { return };
    world.producer().numbers(&world.topic, 1, 0..10);
    world.clickhouse.down(Duration::from_secs(3));
    let run = Run::start(copies::pipeline, &world.yaml().set("events.until", "end"));
    run.wait_drained();
    world.check_exact(10);
}

/// R020: the sink is blocked for longer than `max_poll_interval`, the topic is full: the member
/// stays, nothing is read twice, memory keeps its bound.
#[test]
fn r020_a_blocked_sink_does_not_get_the_member_evicted() {
    const COUNT: u64 = 400_000;
    let Some(world) = World::new("r020", 2) else { return };
    let yaml = world
        .yaml()
        .set("pipeline.memory", "4MiB")
        .set("pipeline.pause_after", "2s")
        .set("events.session_timeout", "6s")
        .set("events.max_poll_interval", "6s")
        .set("events.prefetch", "1MiB")
        .set("rows.frame_bytes", "16KiB");
    let run = Run::start(copies::pipeline, &yaml);
    run.until_lanes(2);
    world
        .clickhouse
        .fault("mode=error_before&code=241&count=0&match=INSERT");
    world.producer().numbers(&world.topic, 2, 0..COUNT);
    let clock = Clock::real();
    let blocked_until = clock.now() + Duration::from_secs(14);
    let mut most = 0;
    until("fourteen seconds of a blocked sink", || {
        most = most.max(run.snapshot().memory_used);
        clock.now() >= blocked_until
    });
    let snapshot = run.snapshot();
    assert!(snapshot.lanes.iter().all(|lane| lane.blocked), "the lanes feel the pressure");
    assert!(most <= snapshot.memory_limit + (1 << 20), "{most} of {}", snapshot.memory_limit);
    world.clickhouse.heal();
    world.until_all_committed(&run);
    let report = run.drain();
    assert_eq!(report.snapshot.assigned, 2, "assigned once: {report}");
    assert_eq!(report.snapshot.payloads(), COUNT, "{report}");
    world.check_exact(COUNT);
}
