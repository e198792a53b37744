//! Runs the sides of a workload in turn and prints their ratios.
//!
//! First every side runs once and what came out is proved equal; then all run in turn, several
//! times, and the medians are compared. Times mean something only against each other.

#![expect(clippy::print_stdout, reason = "a command line program")]

use crate::sum::Sum;
use crate::workload::{Sides, Workload};

/// How often each side is timed unless the command line says otherwise.
pub const ROUNDS: usize = 7;

/// Prints the head of the table that [`run`] adds lines to.
pub fn head() {
    println!(
        "{:<4} {:<20} {:<20} {:>7} {:>7} {:>10} {:>10}",
        "", "side", "against", "ratio", "target", "ns/record", "against"
    );
}

/// Proves the sides of `workload` equal, times them in turn and prints a line per ratio.
///
/// # Panics
///
/// If two sides differ in rows or bytes, or a ratio names a side that is not there.
pub fn run(workload: Workload, records: u64, rounds: usize) {
    println!("{}: {} ({records} records, medians of {rounds})", workload.name, workload.what);
    let sides = (workload.sides)(records);
    prove_equal(workload.name, &sides);
    let nanos = time(&sides, rounds);
    let of = |name: &str| {
        let side = sides.sides.iter().position(|side| side.name == name);
        nanos[side.expect("a ratio names sides that are there")] / records as f64
    };
    for ratio in &sides.ratios {
        let target = ratio
            .target
            .map_or_else(|| "-".to_owned(), |target| format!("{target:.2}"));
        let (ours, theirs) = (of(ratio.of), of(ratio.to));
        println!(
            "{:<4} {:<20} {:<20} {:>7.3} {target:>7} {ours:>10.1} {theirs:>10.1}",
            workload.name,
            ratio.of,
            ratio.to,
            ours / theirs,
        );
    }
}

/// Runs every side once and holds what came out against the first.
fn prove_equal(name: &str, sides: &Sides) {
    let mut first = None;
    for side in &sides.sides {
        let mut sum = Sum::default();
        let rows = side.run(&mut |bytes| {
            if let Some(row_len) = sides.row_len {
                sum.add(bytes, row_len);
            }
        });
        let (known, known_rows, known_sum) = *first.get_or_insert((side.name, rows, sum));
        assert!(
            (rows, sum) == (known_rows, known_sum),
            "{name}: `{}` made {rows} rows, {sum:?}, and `{known}` {known_rows}, {known_sum:?}",
            side.name,
        );
    }
}

/// The median time of every side, in nanoseconds for all records.
fn time(sides: &Sides, rounds: usize) -> Vec<f64> {
    let mut times = vec![Vec::with_capacity(rounds); sides.sides.len()];
    for _ in 0..rounds {
        for (side, times) in sides.sides.iter().zip(&mut times) {
            let start = (sides.clock)();
            std::hint::black_box(side.run(&mut |bytes| {
                std::hint::black_box(bytes);
            }));
            times.push((sides.clock)() - start);
        }
    }
    let median = |times: &mut Vec<std::time::Duration>| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e9
    };
    times.iter_mut().map(median).collect()
}
