//! The `orders` program: exact counts and sums of generated orders, and a run as a whole.

#[path = "../src/bin/orders.rs"]
#[expect(dead_code, reason = "a program, of which the test runs the pipeline")]
mod program;

mod output;

use output::{Output, rows};
use program::orders;
use spate::test::{Flow, Values};
use spate::{Config, Outcome};
use spate_datagen::{Expected, Orders, Settings};

const RECORDS: u64 = 40_000;

fn settings() -> Settings {
    Settings { records: Some(RECORDS), partitions: 8, seed: 1, ..Settings::default() }
}

/// The pipeline after all generated orders, poison and duplicates among them.
fn after_all_orders() -> orders::Test {
    let mut t = orders::test();
    for record in Orders::new(&settings()) {
        let head = record.head;
        let place = t.events().topic("orders").partition(head.partition);
        let place = place.offset(head.offset).key(record.key);
        let place = place.timestamp_ms(head.timestamp_ms);
        match record.value {
            Some(value) => place.push(value),
            None => place.tombstone(),
        };
    }
    t.settle();
    t
}

fn sum(rows: &[Values<'_>], column: &str) -> u64 {
    let numbers = rows.iter().map(|row| row[column].as_int());
    let sum: i128 = numbers.map(|number| number.expect(column)).sum();
    u64::try_from(sum).expect("a sum of unsigned numbers")
}

#[test]
fn every_order_reaches_the_sink_it_belongs_to_exactly_once() {
    let mut t = after_all_orders();
    let expected = Expected::of(&settings());
    assert!(expected.overflows > 0 && expected.duplicates > 0 && expected.invalid_utf8 > 0);

    let lines = t.lines().values();
    assert_eq!(lines.len() as u64, expected.lines);
    assert_eq!(sum(&lines, "total_cents"), expected.lines_total_cents);
    assert_eq!(sum(&lines, "order_id"), expected.lines_id_sum);

    let refunds = t.refunds().values();
    assert_eq!(refunds.len() as u64, expected.refunds);
    assert_eq!(sum(&refunds, "refund_cents"), expected.refunds_total_cents);
    assert_eq!(sum(&refunds, "order_id"), expected.refunds_id_sum);

    let rejects = t.rejects().rows();
    assert_eq!(rejects.len() as u64, expected.rejects());
    let because = |text: &str| {
        let with = rejects.iter().filter(|letter| letter.reason.contains(text));
        with.count() as u64
    };
    assert_eq!(because("empty payload"), expected.empty);
    assert_eq!(because("invalid UTF-8"), expected.invalid_utf8);
    let whence =
        |letter: &spate::DeadLetter<'_>| (letter.stage, letter.topic) == ("decode", "orders");
    assert!(rejects.iter().all(whence));

    let count = |label: &str| -> Flow { t.counter(label) };
    assert_eq!(count("decode").input, expected.records);
    assert_eq!(count("decode").filtered, expected.tombstones);
    assert_eq!(count("decode").diverted, expected.rejects());
    assert_eq!(count("in_stock").filtered, expected.out_of_stock);
    assert_eq!(count("first_time").filtered, expected.duplicates);
    assert_eq!(count("price").skipped, expected.overflows);
    assert_eq!(t.drain().outcome, Outcome::Drained);
}

#[test]
fn two_runs_of_a_test_are_the_same() {
    let (one, other) = (after_all_orders(), after_all_orders());
    assert!(one.lines().batches().len() > 1, "one batch has one order");
    assert!(one.lines().batches() == other.lines().batches());
    assert!(one.refunds().batches() == other.refunds().batches());
    let commits = |t: &orders::Test| t.events().topic("orders").partition(3).commits();
    assert_eq!(commits(&one), commits(&other));
    assert_eq!(one.elapsed(), other.elapsed());
}

/// The macro writes the same lines into the module's documentation, and a test of its own holds
/// them against the same file.
#[test]
fn the_graph_prints_what_the_documentation_shows_with_file_and_line() {
    let text = orders::GRAPH.text().to_string();
    let file = format!("{}:", orders::GRAPH.file);
    assert!(file.ends_with("src/bin/orders.rs:"), "{file}");
    let without_places = text.lines().skip(2).map(|line| {
        let place = line.find(&file).unwrap_or(line.len());
        format!("{}\n", line[..place].trim_end())
    });
    let golden = include_str!("../../spate-macros/golden/orders.chains.txt");
    assert_eq!(without_places.collect::<String>(), golden);
    let places = text.matches(&file).count();
    assert_eq!(places, orders::GRAPH.chains[0].stages.len());
}

/// The configuration of the program, with fewer orders and nothing that listens.
fn config() -> Config {
    let text = include_str!("../orders.yaml").replace("1000000", &RECORDS.to_string());
    let text = format!("{text}\npipeline:\n  admin: off\n");
    Config::parse("orders.yaml", &text, &|_| None).expect("the program's own configuration")
}

/// As the README's first command runs it: from its embedded Kafka to files.
#[test]
fn the_program_as_it_is_writes_all_orders_to_files() {
    let out = Output::new("orders");
    let running = orders::pipeline(config()).sinks_to(out.path()).start();
    let report = running.expect("it starts").wait();
    assert_eq!(report.outcome, Outcome::Drained, "{:?}", report.snapshot.failures);
    assert_eq!(report.balance(), Ok(()));
    let expected = Expected::of(&settings());
    assert_eq!(report.snapshot.payloads(), expected.records);
    let written = |sink: &str| rows(&out.path().join(sink)).len() as u64;
    assert_eq!(written("lines"), expected.lines);
    assert_eq!(written("refunds"), expected.refunds);
    assert_eq!(written("rejects"), expected.rejects());
    let rejects = rows(&out.path().join("rejects"));
    let bytes = rejects
        .iter()
        .filter(|row| row["payload"]["base64"].is_string());
    assert_eq!(bytes.count() as u64, expected.invalid_utf8, "what is no text is kept as bytes");
}
