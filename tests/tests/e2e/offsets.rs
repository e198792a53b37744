//! Where reading begins: committed, out of range, at the end.

use spate_tests::copies;

use crate::support::{Process, Program, Run, World, until};

/// A partition of a hundred records whose first forty are gone, and a group that committed ten.
fn overtaken(name: &str) -> Option<World> {
    let world = World::new(name, 1)?;
    world.producer().numbers(&world.topic, 1, 0..100);
    world.kafka.commit(&world.group, &world.topic, 0, 10);
    world.kafka.cut(&world.topic, 0, 40);
    Some(world)
}

/// R025: never a silent jump.
#[test]
fn r025_a_committed_offset_out_of_range_stops_and_names_its_numbers() {
    let Some(world) = overtaken("r025_stop") else { return };
    let (code, output) = Process::start(Program::Copies, &world.yaml()).wait();
    assert_eq!(code, Some(1), "{output}");
    let told = "position 10 of partition";
    assert!(output.contains(told), "{output}");
    assert!(output.contains("begins at 40 and ends at 100"), "{output}");
    assert_eq!(world.committed_sum(), 10);
    assert_eq!(world.count(), 0);
}

/// R025: with the policy that goes on, reading begins at the log's start and the gap is told.
#[test]
fn r025_out_of_range_earliest_goes_on_at_the_logs_start_and_tells_the_gap() {
    let Some(world) = overtaken("r025_earliest") else { return };
    let yaml = world
        .yaml()
        .set("events.out_of_range", "earliest")
        .set("events.until", "end");
    let (code, output) = Process::start(Program::Copies, &yaml).wait();
    assert_eq!(code, Some(0), "{output}");
    for part in ["position 10", "begins at 40", "30 offsets are lost"] {
        assert!(output.contains(part), "says nothing of `{part}`:\n{output}");
    }
    let numbers = format!("SELECT count(), min(n), max(n) FROM `{}`", world.rows);
    assert_eq!(world.clickhouse.sql(&numbers), "60\t40\t99");
    assert_eq!(world.committed_sum(), 100);
}

/// A committed offset beyond the end, as after a topic was made anew.
#[test]
fn r026_a_committed_offset_beyond_the_end_stops_under_both_policies() {
    for policy in ["stop", "earliest"] {
        let Some(world) = World::new("r026", 1) else { return };
        world.producer().numbers(&world.topic, 1, 0..100);
        world.kafka.commit(&world.group, &world.topic, 0, 1000);
        let yaml = world.yaml().set("events.out_of_range", policy);
        let (code, output) = Process::start(Program::Copies, &yaml).wait();
        assert_eq!(code, Some(1), "{output}");
        assert!(output.contains("position 1000 of partition"), "{output}");
        assert!(output.contains("ends at 100"), "{output}");
        assert_eq!(world.committed_sum(), 1000);
    }
}

/// R009: a position that `latest` resolved is committed before anything is read, so that what
/// arrives while nobody reads is not skipped. R002: what is committed is the next offset.
#[test]
fn r009_the_end_that_latest_means_is_committed_at_once() {
    let Some(world) = World::new("r009", 1) else { return };
    world.producer().numbers(&world.topic, 1, 0..500);
    let yaml = world.yaml().set("events.start", "latest");
    let run = Run::start(copies::pipeline, &yaml);
    until("the end is committed", || world.committed_sum() == 500);
    run.drain();
    world.producer().numbers(&world.topic, 1, 500..503);
    let yaml = yaml.set("events.until", "end");
    Run::start(copies::pipeline, &yaml).wait_drained();
    let numbers = format!("SELECT groupArray(n) FROM (SELECT n FROM `{}` ORDER BY n)", world.rows);
    assert_eq!(world.clickhouse.sql(&numbers), "[500,501,502]");
    assert_eq!(world.committed_sum(), 503);

    let report = Run::start(copies::pipeline, &yaml).wait_drained();
    assert_eq!(report.snapshot.payloads(), 0, "{report}");
}
