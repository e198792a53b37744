//! A sink that is slow, away, overloaded, or not heard.

use std::collections::BTreeMap;
use std::time::Duration;

use spate_runtime::clock::Clock;
use spate_tests::{bare, copies};

use crate::support::{Process, Program, Run, World, until};

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

/// R099: the same row from two records is two rows: the token tells the records, not the bytes.
#[test]
fn r099_equal_rows_of_different_records_are_both_written() {
    let Some(world) = World::new("r099", 1) else { return };
    let table = format!("{}_bare", world.id);
    world.table(&table, "(n UInt64)");
    let yaml = world.sink(world.source(), "rows", &table);
    let run = Run::start(bare::pipeline, &yaml);
    let producer = world.producer();
    for count in 1..=2 {
        producer.send(&world.topic, 0, b"", Some(br#"{"n":5}"#));
        producer.flush();
        until("it is committed", || world.committed_sum() == count);
    }
    run.drain();
    let rows = format!("SELECT count(), sum(n) FROM `{table}`");
    assert_eq!(world.clickhouse.sql(&rows), "2\t10");
    assert_eq!(world.clickhouse.inserts(&table).len(), 2, "two batches");
}

/// R112: each shard acknowledges for itself: only the one that was away is written to again.
#[test]
fn r112_a_shard_that_is_down_is_the_only_one_written_to_again() {
    let Some(world) = World::new("r112", 2) else { return };
    let (second, third) = (world.clickhouse.another(), world.clickhouse.another());
    let shards = [&world.clickhouse, &second, &third];
    let urls = shards.map(|shard| format!("['{}']", shard.url()));
    let yaml = world
        .source()
        .set("rows.shards", format!("[{}]", urls.join(", ")))
        .set("rows.table", &world.rows)
        .set("rows.route", "round_robin")
        .set("rows.frame_bytes", "4KiB")
        .set("rows.linger", "200ms")
        .set("rows.retry_cap", "500ms");
    let run = Run::start(copies::pipeline, &yaml);
    run.until_lanes(2);
    second.down(Duration::from_secs(3));
    world.producer().numbers(&world.topic, 2, 0..20_000);
    world.until_all_committed(&run);
    let report = run.drain();
    assert!(report.snapshot.sinks[0].retries > 0, "{report}");
    world.check_exact(20_000);
    for shard in shards {
        let inserts = shard.inserts(&world.rows);
        let rows: u64 = inserts.iter().map(|insert| insert.rows).sum();
        assert!(rows > 1000, "each shard has a share: {rows}");
        let mut tokens: Vec<&str> = inserts.iter().map(|insert| &*insert.token).collect();
        tokens.sort_unstable();
        tokens.dedup();
        assert_eq!(tokens.len(), inserts.len(), "nothing arrived twice");
    }
}

/// R031: one budget for what is fetched ahead, however many partitions share it.
#[test]
fn r031_a_backlog_in_many_partitions_stays_within_the_budget() {
    const PARTITIONS: u64 = 24;
    let Some(world) = World::new("r031", 24) else { return };
    let yaml = world
        .yaml()
        .set("pipeline.memory", "8MiB")
        .set("events.prefetch", "8MiB");
    let mut process = Process::start(Program::Copies, &yaml);
    until("all partitions are assigned", || {
        assert!(process.is_running(), "{}", process.output());
        world.kafka.committed(&world.group, &world.topic).len() == 24
    });
    let before = process.resident();
    world
        .clickhouse
        .fault("mode=error_before&code=241&count=0&match=INSERT");
    // 24 times 6 MiB, in records of 10 KiB.
    let padding = "x".repeat(10 << 10);
    let producer = world.producer();
    for n in 0..PARTITIONS * 600 {
        let value = format!("{{\"n\":{n},\"padding\":\"{padding}\"}}");
        let partition = i32::try_from(n % PARTITIONS).unwrap();
        producer.send(&world.topic, partition, b"", Some(value.as_bytes()));
    }
    producer.flush();
    let mut most = 0;
    until("inserts are refused for a while", || {
        most = most.max(process.resident());
        world.clickhouse.inserts(&world.rows).len() >= 100
    });
    // The budget twice: librdkafka fetches one more of each partition; and what is in flight.
    let grown = most.saturating_sub(before);
    assert!(grown < 48 << 20, "{} MiB for a backlog of 144 MiB", grown >> 20);
    world.clickhouse.heal();
    until("everything is there", || world.count() == PARTITIONS * 600);
    process.terminate();
    let (code, output) = process.wait();
    assert_eq!(code, Some(0), "{output}");
    world.check_exact(PARTITIONS * 600);
}
