//! A process that is killed, and the one that comes after it.

use spate_tests::copies;

use crate::support::{Process, Program, Run, World, until};

const PARTITIONS: u64 = 4;
const COUNT: u64 = 60_000;

#[test]
fn a_killed_process_loses_nothing_and_repeats_only_what_it_had_not_committed() {
    let Some(world) = World::new("killed", 4) else { return };
    world.producer().numbers(&world.topic, PARTITIONS, 0..COUNT);
    let yaml = world
        .yaml()
        .set("rows.frame_bytes", "4KiB")
        .set("rows.batch_rows", 500)
        .set("events.session_timeout", "3s");
    world
        .clickhouse
        .fault("mode=delay_before&ms=50&count=0&match=INSERT");
    let process = Process::start(Program::Copies, &yaml);
    until("something is committed", || world.committed_sum() > 1000);
    // From here on inserts are executed, and the process does not hear of it.
    world.clickhouse.heal();
    world
        .clickhouse
        .fault("mode=delay_after&ms=5000&count=0&match=INSERT");
    until("rows are written unheard", || {
        let inserts = world.clickhouse.inserts(&world.rows);
        inserts
            .iter()
            .any(|insert| insert.executed && insert.fault.as_deref() == Some("delay_after"))
    });
    process.kill();

    let committed = world.kafka.committed(&world.group, &world.topic);
    let sum: u64 = committed.values().sum();
    assert!(0 < sum && sum < COUNT, "killed in the middle: {committed:?}");
    let unheard: u64 = committed
        .iter()
        .map(|(partition, committed)| {
            world.clickhouse.number(&format!(
                "SELECT count() FROM `{}` WHERE partition = {partition} AND offset >= {committed}",
                world.rows
            ))
        })
        .sum();
    assert!(unheard > 0, "some rows are there that no commit tells of: {committed:?}");

    world.clickhouse.heal();
    let yaml = world.yaml().set("events.until", "end");
    Run::start(copies::pipeline, &yaml).wait_drained();
    world.check_complete(COUNT);
    assert_eq!(world.kafka.committed(&world.group, &world.topic), world.kafka.ends(&world.topic));
    for (partition, committed) in committed {
        let repeated = world.clickhouse.sql(&format!(
            "SELECT offset FROM `{}` WHERE partition = {partition} AND offset < {committed} \
             GROUP BY offset HAVING count() > 1",
            world.rows
        ));
        assert_eq!(repeated, "", "partition {partition} repeats what is below {committed}");
    }
}

/// Two processes share a topic and are killed in turn, again and again.
#[test]
fn processes_killed_in_turn_lose_nothing_together() {
    let Some(world) = World::new("killed_in_turn", 6) else { return };
    let producer = world.producer();
    producer.numbers(&world.topic, 6, 0..6000);
    let yaml = world
        .yaml()
        .set("events.session_timeout", "3s")
        .set("events.assignment", "range")
        .set("rows.frame_bytes", "4KiB");
    world
        .clickhouse
        .fault("mode=delay_before&ms=100&count=0&match=INSERT");
    let mut processes = [(); 2].map(|()| Process::start(Program::Copies, &yaml));
    let mut count = 6000;
    for round in 0..4 {
        let before = world.committed_sum();
        until("some more is committed", || world.committed_sum() > before + 500);
        producer.numbers(&world.topic, 6, count..count + 6000);
        count += 6000;
        let next = Process::start(Program::Copies, &yaml);
        std::mem::replace(&mut processes[round % 2], next).kill();
    }
    world.clickhouse.heal();
    let ends = world.kafka.ends(&world.topic);
    until("everything is committed", || world.kafka.committed(&world.group, &world.topic) == ends);
    for process in processes {
        process.terminate();
        let (code, output) = process.wait();
        assert_eq!(code, Some(0), "{output}");
    }
    world.check_complete(count);
}

/// R007: rows that only wait are not committed, whatever time passes.
#[test]
fn r007_a_process_killed_before_its_first_insert_has_committed_nothing() {
    let Some(world) = World::new("r007", 1) else { return };
    let yaml = world.yaml().set("events.session_timeout", "3s");
    let mut process = Process::start(Program::Copies, &yaml);
    until("the partition is assigned", || world.committed_sum() == 0 && has_commit(&world));
    world
        .clickhouse
        .fault("mode=error_before&code=241&count=0&match=INSERT");
    world.producer().numbers(&world.topic, 1, 0..100);
    until("inserts are tried for many commit intervals", || {
        assert!(process.is_running(), "{}", process.output());
        world.clickhouse.inserts(&world.rows).len() >= 6
    });
    assert_eq!(world.committed_sum(), 0);
    process.kill();
    assert_eq!(world.count(), 0);
    world.clickhouse.heal();
    Run::start(copies::pipeline, &yaml.set("events.until", "end")).wait_drained();
    world.check_exact(100);
    assert_eq!(world.committed_sum(), 100);
}

fn has_commit(world: &World) -> bool {
    !world.kafka.committed(&world.group, &world.topic).is_empty()
}
