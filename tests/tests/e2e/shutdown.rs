//! Signals: drained, past the deadline, at once.

use std::time::Duration;

use spate_runtime::clock::Clock;
use spate_tests::copies;

use crate::support::{Process, Program, Run, World, Yaml, until};

/// More than fits in the budget of the first test's lanes.
const COUNT: u64 = 300_000;

/// R122: the union of two runs holds every record once.
#[test]
fn r122_a_process_terminated_under_load_drains_and_the_next_repeats_nothing() {
    let Some(world) = World::new("r122", 4) else { return };
    world.producer().numbers(&world.topic, 4, 0..COUNT);
    let yaml = world
        .yaml()
        .set("rows.frame_bytes", "4KiB")
        .set("rows.batch_rows", 500)
        .set("rows.batch_bytes", "32KiB")
        .set("pipeline.memory", "4MiB")
        .set("pipeline.drain_timeout", "60s");
    world
        .clickhouse
        .fault("mode=delay_before&ms=50&count=0&match=INSERT");
    let process = Process::start(Program::Copies, &yaml);
    until("rows flow", || world.count() > 2000);
    process.terminate();
    let (code, output) = process.wait();
    assert_eq!(code, Some(0), "{output}");
    let written = world.count();
    assert!(written < COUNT, "terminated in the middle");
    assert_eq!(world.committed_sum(), written, "{output}");

    world.clickhouse.heal();
    let yaml = world.yaml().set("events.until", "end");
    let report = Run::start(copies::pipeline, &yaml).wait_drained();
    assert_eq!(report.snapshot.payloads(), COUNT - written, "nothing is read twice");
    world.check_exact(COUNT);
}

/// R123: what waits for a long linger is written at once.
#[test]
fn r123_a_drain_does_not_wait_for_the_linger() {
    let Some(world) = World::new("r123_linger", 1) else { return };
    let yaml = world
        .yaml()
        .set("rows.linger", "60s")
        .set("pipeline.drain_timeout", "90s");
    let run = Run::start(copies::pipeline, &yaml);
    run.until_lanes(1);
    world.producer().numbers(&world.topic, 1, 0..3);
    until("the rows are read", || run.snapshot().payloads() == 3);
    assert_eq!(world.count(), 0);
    let clock = Clock::real();
    let begin = clock.now();
    run.drain();
    assert!(clock.now().duration_since(begin) < Duration::from_secs(30));
    world.check_exact(3);
    assert_eq!(world.committed_sum(), 3);
}

/// A process whose sink refuses everything, once it has read something.
fn blocked(world: &World, yaml: &Yaml) -> Process {
    let mut process = Process::start(Program::Copies, yaml);
    until("the partition is assigned", || {
        assert!(process.is_running(), "{}", process.output());
        !world.kafka.committed(&world.group, &world.topic).is_empty()
    });
    world
        .clickhouse
        .fault("mode=error_before&code=241&count=0&match=INSERT");
    world.producer().numbers(&world.topic, 1, 0..100);
    until("an insert is refused", || !world.clickhouse.inserts(&world.rows).is_empty());
    process
}

/// R123: with the sink away the deadline ends it, and says so by its exit code.
#[test]
fn r123_a_drain_past_its_deadline_exits_with_3_and_commits_nothing() {
    let Some(world) = World::new("r123_deadline", 1) else { return };
    let process = blocked(&world, &world.yaml().set("pipeline.drain_timeout", "3s"));
    process.terminate();
    let (code, output) = process.wait();
    assert_eq!(code, Some(3), "{output}");
    assert!(output.contains("will be read again"), "{output}");
    assert_eq!(world.committed_sum(), 0);
    assert_eq!(world.count(), 0);
}

/// R123: a second signal is heard while the first is being served.
#[test]
fn r123_a_second_signal_ends_at_once() {
    let Some(world) = World::new("r123_second", 1) else { return };
    let process = blocked(&world, &world.yaml().set("pipeline.drain_timeout", "10m"));
    process.terminate();
    until("the first signal is heard", || process.output().contains("draining"));
    process.terminate();
    let clock = Clock::real();
    let begin = clock.now();
    let (code, output) = process.wait();
    assert_eq!(code, Some(3), "{output}");
    assert!(clock.now().duration_since(begin) < Duration::from_secs(30));
    assert_eq!(world.committed_sum(), 0);
}
