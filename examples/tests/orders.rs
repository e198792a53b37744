//! The `orders` program over its embedded Kafka, to files: every count and sum is exact.

#[path = "../src/bin/orders.rs"]
#[expect(dead_code, reason = "a program, of which the test runs the pipeline")]
mod program;

mod output;

use output::{Output, rows};
use spate::{Config, Outcome};
use spate_datagen::{Expected, Settings};

const RECORDS: u64 = 40_000;

/// The configuration of the program, with fewer orders and nothing that listens.
fn config() -> Config {
    let text = include_str!("../orders.yaml").replace("1000000", &RECORDS.to_string());
    let text = format!("{text}\npipeline:\n  admin: off\n");
    Config::parse("orders.yaml", &text, &|_| None).expect("the program's own configuration")
}

fn sum(rows: &[serde_json::Value], column: &str) -> u64 {
    rows.iter()
        .map(|row| row[column].as_u64().expect(column))
        .sum()
}

#[test]
fn every_order_reaches_the_file_it_belongs_to_exactly_once() {
    let out = Output::new("orders");
    let running = program::orders::pipeline(config())
        .sinks_to(out.path())
        .start();
    let report = running.expect("it starts").wait();
    assert_eq!(report.outcome, Outcome::Drained, "{:?}", report.snapshot.failures);
    assert_eq!(report.balance(), Ok(()));

    let settings =
        Settings { records: Some(RECORDS), partitions: 8, seed: 1, ..Settings::default() };
    let expected = Expected::of(&settings);
    assert!(expected.overflows > 0 && expected.duplicates > 0 && expected.invalid_utf8 > 0);

    let lines = rows(&out.path().join("lines"));
    assert_eq!(lines.len() as u64, expected.lines);
    assert_eq!(sum(&lines, "total_cents"), expected.lines_total_cents);
    assert_eq!(sum(&lines, "order_id"), expected.lines_id_sum);

    let refunds = rows(&out.path().join("refunds"));
    assert_eq!(refunds.len() as u64, expected.refunds);
    assert_eq!(sum(&refunds, "refund_cents"), expected.refunds_total_cents);
    assert_eq!(sum(&refunds, "order_id"), expected.refunds_id_sum);

    let rejects = rows(&out.path().join("rejects"));
    assert_eq!(rejects.len() as u64, expected.rejects());
    let because = |text: &str| {
        let with = rejects
            .iter()
            .filter(|row| row["reason"].as_str().is_some_and(|r| r.contains(text)));
        with.count() as u64
    };
    assert_eq!(because("empty payload"), expected.empty);
    assert_eq!(because("invalid UTF-8"), expected.invalid_utf8);
    assert!(
        rejects
            .iter()
            .all(|row| row["stage"] == "decode" && row["topic"] == "orders")
    );
    let bytes = rejects
        .iter()
        .filter(|row| row["payload"]["base64"].is_string());
    assert_eq!(bytes.count() as u64, expected.invalid_utf8, "what is no text is kept as bytes");

    assert_eq!(report.snapshot.payloads(), expected.records);
    let counts = &report.snapshot.chains[0].stages;
    let stages = program::orders::GRAPH.chains[0].stages;
    let of = |label: &str| {
        let index = stages.iter().position(|stage| stage.label == label);
        &counts[index.unwrap_or_else(|| panic!("a stage `{label}`"))]
    };
    assert_eq!(of("decode").dropped, expected.tombstones);
    assert_eq!(of("decode").failed, expected.rejects());
    assert_eq!(of("in_stock").dropped, expected.out_of_stock);
    assert_eq!(of("first_time").dropped, expected.duplicates);
    assert_eq!(of("price").failed, expected.overflows);
}
