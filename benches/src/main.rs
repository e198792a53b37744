//! Runs workloads against their twins; see the crate's documentation.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use spate::Config;
use spate_benches::arena::Arena;
use spate_benches::sum::Sum;
use spate_benches::{ledger, spate_side, w1, w2};
use spate_runtime::clock::Clock;

/// One side of a workload, ready to run once; returns something that depends on its work.
type Side = Box<dyn Fn(&mut dyn FnMut(&[u8])) -> u64>;

/// A workload: our side first, then its twins.
struct Workload {
    name: &'static str,
    what: &'static str,
    records: u64,
    sides: Vec<(&'static str, Side)>,
    /// Length of the first row of some bytes; `None` where there are no rows to compare.
    row_len: Option<fn(&[u8]) -> usize>,
}

fn workload(name: &str, records: u64) -> Option<Workload> {
    Some(match name {
        "W1" => {
            let arena = Arc::new(Arena::orders(records));
            let [a, b, c] = std::array::from_fn(|_| Arc::clone(&arena));
            Workload {
                name: "W1",
                what: "JSON orders, decode, filter, map, RowBinary",
                records,
                sides: vec![
                    (
                        "spate",
                        Box::new(move |discard| {
                            let mut rig =
                                spate_side::rig(&w1::orders::pipeline(Config::empty()), &a, 1);
                            spate_side::run(&mut rig, discard)
                        }),
                    ),
                    ("twin sonic-rs", Box::new(move |discard| w1::twin::sonic(&b, discard))),
                    ("twin serde_json", Box::new(move |discard| w1::twin::serde_json(&c, discard))),
                ],
                row_len: Some(w1::row_len),
            }
        }
        "W2" => {
            let arena = Arc::new(Arena::fixed(records));
            let [a, b] = std::array::from_fn(|_| Arc::clone(&arena));
            Workload {
                name: "W2",
                what: "fixed records, filter, map, 4 shards, RowBinary",
                records,
                sides: vec![
                    (
                        "spate",
                        Box::new(move |discard| {
                            let mut rig = spate_side::rig(
                                &w2::ticks::pipeline(Config::empty()),
                                &a,
                                w2::SHARDS,
                            );
                            spate_side::run(&mut rig, discard)
                        }),
                    ),
                    ("twin", Box::new(move |discard| w2::twin::run(&b, discard))),
                ],
                row_len: Some(|_| w2::ROW),
            }
        }
        "W5" => Workload {
            name: "W5",
            what: "acknowledgements: register, resolve, advance",
            records,
            sides: vec![
                ("spate", Box::new(move |_| ledger::spate(records))),
                ("twin", Box::new(move |_| ledger::twin(records))),
            ],
            row_len: None,
        },
        _ => return None,
    })
}

const ALL: [(&str, u64); 3] = [("W1", 300_000), ("W2", 3_000_000), ("W5", 3_000_000)];
const ROUNDS: usize = 7;

const HELP: &str = "\
Runs workloads alternately with their hand-written twins and prints ratios.

  spate-benches                       every workload
  spate-benches W1 [RECORDS]          one workload
  spate-benches count W1 SIDE RECORDS one side once, to count instructions
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        [] => ALL
            .iter()
            .for_each(|(name, records)| compare(name, *records)),
        ["count", name, side, records] => return count(name, side, records),
        [name] if ALL.iter().any(|(known, _)| *known == name) => {
            let records = ALL
                .iter()
                .find(|(known, _)| *known == name)
                .map_or(0, |(_, n)| *n);
            compare(name, records);
        }
        [name, records] if ALL.iter().any(|(known, _)| *known == name) => match records.parse() {
            Ok(records) => compare(name, records),
            Err(error) => {
                eprintln!("error: `{records}` is no number of records: {error}");
                return ExitCode::FAILURE;
            }
        },
        ["--help" | "-h"] => print!("{HELP}"),
        _ => {
            eprint!("{HELP}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn count(name: &str, side: &str, records: &str) -> ExitCode {
    let workload = records
        .parse()
        .ok()
        .and_then(|records| workload(name, records));
    let run = workload.as_ref().and_then(|workload| {
        workload
            .sides
            .iter()
            .find(|(known, _)| *known == side)
            .map(|(_, run)| run)
    });
    let Some(run) = run else {
        eprint!("{HELP}");
        return ExitCode::FAILURE;
    };
    println!(
        "{name} {side}: {}",
        run(&mut |bytes| {
            std::hint::black_box(bytes);
        })
    );
    ExitCode::SUCCESS
}

/// Proves the sides equal, then times them in turn.
fn compare(name: &str, records: u64) {
    let Some(workload) = workload(name, records) else { return };
    println!("{}: {} ({} records)", workload.name, workload.what, workload.records);
    let mut sums = workload.sides.iter().map(|(side, run)| {
        let mut sum = Sum::default();
        let result = run(&mut |bytes| {
            if let Some(row_len) = workload.row_len {
                sum.add(bytes, row_len);
            }
        });
        (*side, result, sum)
    });
    let ours = sums.next();
    for twin in sums {
        let same = ours.is_some_and(|(_, result, sum)| (result, sum) == (twin.1, twin.2));
        assert!(same, "{name}: {ours:?} and {twin:?} differ");
    }

    let clock = Clock::real();
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); workload.sides.len()];
    for _ in 0..ROUNDS {
        for (side, (_, run)) in workload.sides.iter().enumerate() {
            let start = clock.now();
            std::hint::black_box(run(&mut |bytes| {
                std::hint::black_box(bytes);
            }));
            times[side].push(clock.now() - start);
        }
    }
    let medians: Vec<f64> = times
        .iter_mut()
        .map(|times| {
            times.sort_unstable();
            times[times.len() / 2].as_secs_f64()
        })
        .collect();
    for ((side, _), median) in workload.sides.iter().zip(&medians).skip(1) {
        println!(
            "  spate / {side:<16} {:.3}   (median of {ROUNDS}, alternating)",
            medians[0] / median
        );
    }
}
