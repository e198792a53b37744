//! What only an operator can mend: the pipeline stops, says why, and has committed nothing of it.

use crate::support::{Process, Program, World, Yaml, until};

/// Runs `copies` over ten records with a sink that is refused; checks that it stops, names
/// `parts`, and reads on for the next process.
#[track_caller]
fn check_refused(world: &World, yaml: &Yaml, parts: &[&str]) -> String {
    world.producer().numbers(&world.topic, 1, 0..10);
    let (code, output) = Process::start(Program::Copies, yaml).wait();
    assert_eq!(code, Some(1), "{output}");
    for part in parts {
        assert!(output.contains(part), "says nothing of `{part}`:\n{output}");
    }
    assert_eq!(world.committed_sum(), 0, "{output}");
    assert_eq!(world.count(), 0);
    output
}

#[test]
fn a_readonly_user_stops_the_start_with_a_clear_message() {
    let Some(world) = World::new("readonly", 1) else { return };
    let yaml = world
        .yaml()
        .set("rows.user", "reader")
        .set("rows.password", "reader");
    check_refused(&world, &yaml, &["code 164", "give the user a profile without `readonly`"]);
}

#[test]
fn a_user_without_the_grant_stops_the_start_with_a_clear_message() {
    let Some(world) = World::new("viewer", 1) else { return };
    let yaml = world
        .yaml()
        .set("rows.user", "viewer")
        .set("rows.password", "viewer");
    check_refused(&world, &yaml, &["code 497", "grant INSERT"]);
}

#[test]
fn an_unknown_table_stops_the_start_and_names_the_table_to_make() {
    let Some(world) = World::new("no_table", 1) else { return };
    let yaml = world.yaml().set("rows.table", "order_linse");
    check_refused(&world, &yaml, &["table `order_linse` does not exist", "CREATE TABLE"]);
}

/// R107, R134: refused, and the password is nowhere in what the program says, debug lines included.
#[test]
fn r134_a_wrong_password_stops_the_start_and_is_not_shown() {
    let Some(world) = World::new("password", 1) else { return };
    let yaml = world
        .yaml()
        .set("rows.user", "writer")
        .set("rows.password", "S3cr3t-zz9");
    let output = check_refused(&world, &yaml, &["code 516", "Authentication failed"]);
    assert!(!output.contains("S3cr3t"), "{output}");
}

/// R130, R134: a password of quotes, colons and hashes is a value like any other, and is not shown.
#[test]
fn r134_a_password_of_odd_characters_works_and_is_not_shown() {
    let Some(world) = World::new("odd_password", 1) else { return };
    world.producer().numbers(&world.topic, 1, 0..10);
    let yaml = world
        .yaml()
        .set("events.until", "end")
        .set("rows.user", "writer")
        .set("rows.password", r#""p'ss: w\"rd#1""#);
    let (code, output) = Process::start(Program::Copies, &yaml).wait();
    assert_eq!(code, Some(0), "{output}");
    for part in ["p'ss", "rd#1"] {
        assert!(!output.contains(part), "{output}");
    }
    world.check_exact(10);
}

/// Runs until ten records are committed, lets `turn` turn the sink against it, then sends more.
#[track_caller]
fn check_stopped_while_running(name: &str, turn: impl FnOnce(&World), parts: &[&str]) {
    let Some(world) = World::new(name, 1) else { return };
    let mut process = Process::start(Program::Copies, &world.yaml());
    world.producer().numbers(&world.topic, 1, 0..10);
    until("ten records are committed", || {
        assert!(process.is_running(), "{}", process.output());
        world.committed_sum() == 10
    });
    turn(&world);
    world.producer().numbers(&world.topic, 1, 10..20);
    let (code, output) = process.wait();
    assert_eq!(code, Some(1), "{output}");
    for part in parts {
        assert!(output.contains(part), "says nothing of `{part}`:\n{output}");
    }
    assert_eq!(world.committed_sum(), 10, "{output}");
}

/// R107: never dropped, never passed.
#[test]
fn r107_a_table_dropped_while_running_stops_it_with_the_watermark_below() {
    let drop_table = |world: &World| {
        world
            .clickhouse
            .sql(&format!("DROP TABLE `{}` SYNC", world.rows));
    };
    check_stopped_while_running("dropped", drop_table, &["code 60", "create the table"]);
}

#[test]
fn a_user_made_readonly_while_running_stops_it_with_the_watermark_below() {
    let make_readonly = |world: &World| {
        world
            .clickhouse
            .fault("mode=error_before&code=164&count=0&match=INSERT");
    };
    check_stopped_while_running("made_readonly", make_readonly, &["code 164", "readonly"]);
}

/// R029: under `or_stop` the pipeline stops before the record that does not decode.
#[test]
fn r029_under_stop_a_malformed_record_is_not_passed() {
    let Some(world) = World::new("r029_stop", 1) else { return };
    super::topics::send_r029(&world);
    let (code, output) = Process::start(Program::Strict, &world.yaml()).wait();
    assert_eq!(code, Some(1), "{output}");
    assert_eq!(world.committed_sum(), 2, "before the empty value, behind the tombstone: {output}");
    assert_eq!(
        world
            .clickhouse
            .sql(&format!("SELECT n FROM `{}`", world.rows)),
        "1"
    );
}
