//! How long a record takes under a light load: from its append to the broker until its row has
//! arrived whole at the server, which acknowledges it at once.
//!
//! Both ends are in the world's process and read the same clock. One record at a time is appended,
//! in even steps, to a partition in turn.

#![expect(clippy::print_stdout, reason = "a command line program")]

use std::sync::mpsc;
use std::time::Duration;

use crate::w3::{self, world::World};

/// The mock broker answers a fetch that waits when its time is over, and not when a record comes as
/// a real one does: this is how long it may keep one.
const FETCH_WAITS: &str = "input.settings: {fetch.wait.max.ms: 5}";

/// Appends `records`, `every` so often, with the lines of `settings`, and prints quantiles.
///
/// # Panics
///
/// If the pipeline fails, or a row does not arrive.
pub fn run(records: u64, every: Duration, settings: &str) {
    let world = World::start();
    let places = world.fill(0);
    let config = w3::config(&places, &format!("{FETCH_WAITS}\n{settings}"));
    let running = w3::orders::pipeline(config)
        .start()
        .expect("the configuration is right");
    let (never, pause) = mpsc::channel::<()>();
    let wait = |time| assert!(pause.recv_timeout(time).is_err(), "nobody sends");
    while running.snapshot().lanes.len() < w3::world::PARTITIONS {
        wait(every);
    }
    // The first one connects.
    world.tell("one");
    while world.sum().rows < 1 {
        wait(every);
    }
    world.ask("latencies");
    for _ in 0..records {
        world.tell("one");
        wait(every);
    }
    while world.sum().rows < records + 1 {
        wait(every);
    }
    drop(never);
    let (wakes, turns) = (running.snapshot().lane_wakes, running.snapshot().sinks[0].turns);
    running.handle().drain();
    let report = running.wait();
    assert_eq!(report.exit_code(), 0, "{report}");
    let mut micros: Vec<u64> = world
        .ask("latencies")
        .split(' ')
        .filter_map(|micros| micros.parse().ok())
        .collect();
    micros.sort_unstable();
    let shown = if settings.is_empty() { "the defaults" } else { settings };
    println!("{records} records, one every {every:?}, {shown}: append to acknowledged, in ms");
    for (name, part) in [("p10", 100), ("p50", 500), ("p90", 900), ("p99", 990), ("max", 1_000)] {
        let at = (micros.len() * part / 1_000).min(micros.len() - 1);
        println!("  {name}  {:>8.1}", Duration::from_micros(micros[at]).as_secs_f64() * 1e3);
    }
    println!("  {wakes} wake-ups of the lane thread, {turns} of the writer");
}
