//! The `lines` program, file to file: exact rows, and nothing twice.

#[path = "../src/bin/lines.rs"]
#[expect(dead_code, reason = "a program, of which the test runs the pipeline")]
mod program;

mod output;

use std::fs;
use std::path::Path;

use output::{Output, rows};
use spate::{Config, Outcome, Report};

fn run(from: &Path, to: &Path) -> Report {
    let text = format!("{}\npipeline:\n  admin: off\n", include_str!("../lines.yaml"));
    let env = |name: &str| match name {
        "LINES_IN" => from.to_str().map(str::to_owned),
        "LINES_OUT" => to.to_str().map(str::to_owned),
        _ => None,
    };
    let config = Config::parse("lines.yaml", &text, &env).expect("the program's own configuration");
    let running = program::slow::pipeline(config).start();
    let report = running.expect("it starts").wait();
    assert_eq!(report.outcome, Outcome::Drained, "{:?}", report.snapshot.failures);
    assert_eq!(report.balance(), Ok(()));
    report
}

#[test]
fn slow_requests_are_written_once_and_a_second_run_finds_nothing_new() {
    let out = Output::new("lines");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    assert_eq!(run(&data, out.path()).snapshot.payloads(), 42);
    let slow = rows(&out.path().join("slow"));
    assert_eq!(slow.len(), 19);
    assert!(slow.iter().all(|row| row["millis"].as_u64() >= Some(100)));
    assert!(slow.iter().any(|row| row["path"] == "/search?q=café"), "escapes are decoded");
    let rejects = rows(&out.path().join("rejects"));
    assert_eq!(rejects.len(), 2);
    assert!(rejects.iter().any(|row| {
        row["reason"]
            .as_str()
            .is_some_and(|reason| reason.starts_with("status: invalid type"))
    }));

    assert_eq!(run(&data, out.path()).snapshot.payloads(), 0);
    assert_eq!(rows(&out.path().join("slow")), slow);
}

#[test]
fn what_is_added_to_a_file_comes_in_the_next_run() {
    let out = Output::new("lines-grow");
    let log = out.path().join("log.ndjson");
    let line = |micros: u32| format!("{{\"path\":\"/\",\"status\":200,\"micros\":{micros}}}\n");
    fs::write(&log, line(100_000) + &line(1)).expect("a file");
    assert_eq!(run(out.path(), &out.path().join("out")).snapshot.payloads(), 2);
    fs::write(&log, line(100_000) + &line(1) + &line(200_000)).expect("a file");
    assert_eq!(run(out.path(), &out.path().join("out")).snapshot.payloads(), 1);
    let mut millis: Vec<_> = rows(&out.path().join("out/slow"))
        .iter()
        .filter_map(|row| row["millis"].as_u64())
        .collect();
    millis.sort_unstable();
    assert_eq!(millis, [100, 200]);
}
