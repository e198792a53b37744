//! Members that come and go.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use spate_datagen::{Expected, Settings};
use spate_runtime::clock::Clock;
use spate_tests::{copies, orders};

use crate::end_to_end::{fill, tables};
use crate::support::{Run, World, until};

/// Stops a thread also when the test fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A second member joins while records flow, takes its share, and leaves.
#[track_caller]
fn check_join_and_leave(name: &str, strategy: &str) {
    let Some(world) = World::new(name, 6) else { return };
    let yaml = world
        .yaml()
        .set("events.assignment", strategy)
        // Flushed in time, however busy the machine is.
        .set("pipeline.revoke_timeout", "60s")
        .set("rows.linger", "300ms");
    let stopped = AtomicBool::new(false);
    let count = std::thread::scope(|scope| {
        let stop = Stop(&stopped);
        let produced = scope.spawn(|| {
            let producer = world.producer();
            let mut count = 0;
            while !stopped.load(Ordering::Relaxed) {
                producer.numbers(&world.topic, 6, count..count + 300);
                count += 300;
                std::thread::park_timeout(Duration::from_millis(20));
            }
            count
        });
        let durable = |run: &Run| run.snapshot().sinks[0].durable;
        let first = Run::start(copies::pipeline, &yaml);
        until("the first member has all", || durable(&first) > 1000);
        let second = Run::start(copies::pipeline, &yaml);
        first.until_lanes(3);
        second.until_lanes(3);
        until("the second member has its share", || durable(&second) > 1000);
        second.drain();
        first.until_lanes(6);
        let before = durable(&first);
        until("the first member goes on", || durable(&first) > before + 1000);
        drop(stop);
        let count = produced.join().unwrap();
        world.until_all_committed(&first);
        let report = first.drain();
        assert!(report.snapshot.revoked >= 3, "{report}");
        count
    });
    world.check_exact(count);
}

#[test]
fn a_member_that_joins_and_leaves_under_range_costs_no_row_and_doubles_none() {
    check_join_and_leave("join_range", "range");
}

/// R013, R017: only what moves is given back, and what is given back is flushed first.
#[test]
fn r017_a_member_that_joins_and_leaves_under_cooperative_sticky_costs_no_row_and_doubles_none() {
    check_join_and_leave("join_sticky", "cooperative-sticky");
}

/// A member drains while the group is about to move its partitions.
#[track_caller]
fn check_drain_while_joining(name: &str, strategy: &str) {
    let Some(world) = World::new(name, 6) else { return };
    let yaml = world
        .yaml()
        .set("events.assignment", strategy)
        .set("rows.frame_bytes", "4KiB");
    world.producer().numbers(&world.topic, 6, 0..20_000);
    let first = Run::start(copies::pipeline, &yaml);
    until("rows flow", || world.count() > 1000);
    let second = Run::start(copies::pipeline, &yaml);
    until("the group moves", || {
        first.snapshot().revoked > 0 || second.handle().status().has_assignment()
    });
    first.drain();
    second.until_lanes(6);
    world.until_all_committed(&second);
    second.drain();
    world.check_exact(20_000);
}

#[test]
fn a_drain_while_another_joins_under_range_costs_no_row_and_doubles_none() {
    check_drain_while_joining("drain_range", "range");
}

#[test]
fn a_drain_while_another_joins_under_cooperative_sticky_costs_no_row_and_doubles_none() {
    check_drain_while_joining("drain_sticky", "cooperative-sticky");
}

/// No state that saw an unresolved payload outlives its epoch: or what the state remembers would
/// swallow the replay.
#[test]
fn partitions_revoked_past_their_bound_come_back_whole_whatever_the_state_remembers() {
    let Some(world) = World::new("revoked", 4) else { return };
    let (tables, yaml) = tables(&world);
    let yaml = yaml
        .set("events.assignment", "range")
        .set("pipeline.revoke_timeout", "500ms");
    let run = Run::start(orders::pipeline, &yaml);
    run.until_lanes(4);
    world
        .clickhouse
        .fault("mode=error_before&code=241&count=0&match=INSERT");
    let settings = Settings { partitions: 4, ..Settings::clean(20_000) };
    fill(&world, &settings);
    until("the state has seen many records", || run.snapshot().payloads() > 5000);

    // Another member takes half, and gives it back: twice all partitions are revoked.
    let member = world.kafka.join(&world.group, &world.topic, "range");
    until("another member has a share", || {
        member.serve() == 2 && run.handle().status().lanes().len() == 2
    });
    drop(member);
    run.until_lanes(4);
    assert!(run.snapshot().revoked >= 6, "{:?}", run.snapshot());
    assert!(run.snapshot().sinks[0].abandoned > 0, "the bound has passed");
    assert_eq!(world.committed_sum(), 0);

    world.clickhouse.heal();
    world.until_all_committed(&run);
    run.drain();
    let sums = |table: &str| {
        world.clickhouse.sql(&format!(
            "SELECT count(), sum(order_id), sum(total_cents) \
             FROM (SELECT DISTINCT order_id, total_cents FROM `{table}`)"
        ))
    };
    let Expected { lines, lines_id_sum, lines_total_cents, .. } = Expected::of(&settings);
    assert_eq!(sums(&tables.lines), format!("{lines}\t{lines_id_sum}\t{lines_total_cents}"));
    let Expected { refunds, refunds_id_sum, refunds_total_cents, .. } = Expected::of(&settings);
    assert_eq!(
        sums(&tables.refunds),
        format!("{refunds}\t{refunds_id_sum}\t{refunds_total_cents}")
    );
}

/// R023: a member that gets nothing is a member; it takes over when the other leaves.
#[test]
fn r023_a_member_without_partitions_stays_and_takes_over() {
    let Some(world) = World::new("r023", 1) else { return };
    let yaml = world.yaml().set("events.rejoin_timeout", "2s");
    let first = Run::start(copies::pipeline, &yaml);
    first.until_lanes(1);
    let second = Run::start(copies::pipeline, &yaml);
    until("an empty assignment", || second.handle().status().has_assignment());
    let clock = Clock::real();
    let later = clock.now() + Duration::from_secs(5);
    until("more than its timeout passes", || clock.now() >= later);
    assert!(!second.is_ended(), "{:?}", second.snapshot());
    world.producer().numbers(&world.topic, 1, 0..100);
    world.until_all_committed(&first);
    first.drain();
    second.until_lanes(1);
    world.producer().numbers(&world.topic, 1, 100..200);
    world.until_all_committed(&second);
    second.drain();
    world.check_exact(200);
}

/// R022: two processes of one name: the first is told so and ends.
#[test]
fn r022_a_second_process_of_the_same_instance_id_fences_the_first() {
    let Some(world) = World::new("r022_fenced", 1) else { return };
    let yaml = world.yaml().set("events.instance_id", "etl-0");
    let first = Run::start(copies::pipeline, &yaml);
    first.until_lanes(1);
    let second = Run::start(copies::pipeline, &yaml);
    let report = first.wait();
    assert_eq!(report.exit_code(), 1, "{report}");
    assert!(report.snapshot.failures[0].contains("etl-0"), "{report}");
    second.until_lanes(1);
    world.producer().numbers(&world.topic, 1, 0..100);
    world.until_all_committed(&second);
    second.drain();
    world.check_exact(100);
}

/// R022: a member of a name that is back within its session disturbs nobody.
#[test]
fn r022_a_restart_of_a_static_member_costs_its_peer_no_rebalance() {
    let Some(world) = World::new("r022_restart", 4) else { return };
    let yaml = |id: &str| {
        world
            .yaml()
            .set("events.instance_id", id)
            .set("events.session_timeout", "45s")
    };
    let peer = Run::start(copies::pipeline, &yaml("a"));
    let member = Run::start(copies::pipeline, &yaml("b"));
    peer.until_lanes(2);
    member.until_lanes(2);
    let before = peer.snapshot();
    member.drain();
    world.producer().numbers(&world.topic, 4, 0..1000);
    let member = Run::start(copies::pipeline, &yaml("b"));
    member.until_lanes(2);
    world.until_all_committed(&member);
    member.drain();
    let after = peer.snapshot();
    assert_eq!((after.revoked, after.assigned), (before.revoked, before.assigned));
    peer.drain();
    world.check_exact(1000);
}
