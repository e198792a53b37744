//! Whether the defaults are the tuned values: one setting at a time around its default, and a grid
//! over all of them.
//!
//! One at a time: in every round each value runs once beside the default; what is printed is the
//! median over the rounds of its time against the default's in the same round, so that a machine
//! that is busy for a while is busy for both.
//!
//! The grid: every combination of four values of five settings runs once, beside the default every
//! few runs. The best of a thousand single runs is mostly the luckiest, so those that came out best
//! run again in rounds, and their medians count.

#![expect(clippy::print_stdout, reason = "a command line program")]

mod steady;
mod subject;

use self::subject::{Cost, Subject, subject};

/// A setting and the values that are tried beside its default.
struct Knob {
    /// `section.key`.
    key: &'static str,
    default: &'static str,
    values: &'static [&'static str],
}

const KNOBS: [Knob; 6] = [
    Knob { key: "input.batch_max", default: "1024", values: &["64", "256", "4096", "16384"] },
    Knob {
        key: "rows.frame_bytes",
        default: "256KiB",
        values: &["16KiB", "64KiB", "128KiB", "512KiB", "1MiB"],
    },
    Knob { key: "rows.queue_frames", default: "64", values: &["4", "16", "256", "1024"] },
    Knob { key: "rows.batch_bytes", default: "16MiB", values: &["1MiB", "4MiB", "8MiB", "24MiB"] },
    Knob {
        key: "pipeline.memory",
        default: "256MiB",
        values: &["32MiB", "64MiB", "128MiB", "1GiB"],
    },
    Knob {
        key: "pipeline.commit_interval",
        default: "1s",
        values: &["50ms", "200ms", "500ms", "5s"],
    },
];

/// The settings of the grid, by key.
const GRID: [(&str, [&str; 4]); 5] = [
    ("input.batch_max", ["64", "256", "1024", "4096"]),
    ("rows.queue_frames", ["4", "16", "64", "256"]),
    ("rows.batch_bytes", ["1MiB", "4MiB", "16MiB", "64MiB"]),
    ("pipeline.memory", ["64MiB", "256MiB", "512MiB", "1GiB"]),
    ("pipeline.commit_interval", ["50ms", "200ms", "1s", "5s"]),
];

/// Single runs between two of the default.
const BESIDE: usize = 8;

/// How many of the best are run again, by CPU time and by wall time each.
const AGAIN: usize = 6;

fn subject_of(name: &str, records: u64) -> Result<Subject, String> {
    steady::keep_memory();
    let once = subject(name, records).ok_or_else(|| format!("no sweep runs `{name}`"))?;
    // The first runs pay for what all use: threads, pages.
    for _ in 0..2 {
        default(&once);
    }
    Ok(once)
}

fn default(once: &Subject) -> Cost {
    once("").expect("the defaults are accepted")
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_unstable_by(f64::total_cmp);
    of[of.len() / 2]
}

/// The median over `rounds` of CPU and wall time of each of `settings` against the default's in the
/// same round; `None` for settings that are refused.
fn beside_the_default(once: &Subject, settings: &[String], rounds: usize) -> Vec<Option<[f64; 2]>> {
    let mut ratios = vec![[const { Vec::new() }; 2]; settings.len()];
    for _ in 0..rounds {
        let base = default(once);
        for (settings, [cpus, walls]) in settings.iter().zip(&mut ratios) {
            if let Some(cost) = once(settings) {
                let [cpu, wall] = cost.over(base);
                cpus.push(cpu);
                walls.push(wall);
            }
        }
    }
    let medians = ratios
        .into_iter()
        .map(|ratios| (!ratios[0].is_empty()).then(|| ratios.map(median)));
    medians.collect()
}

/// Prints a line for every setting: its values' times against the default's.
///
/// # Errors
///
/// When there is no such workload.
pub fn run(name: &str, records: u64, rounds: usize) -> Result<(), String> {
    let once = subject_of(name, records)?;
    println!("{name}: CPU / wall time against the default, {records} records, medians of {rounds}");
    for Knob { key, default, values } in &KNOBS {
        let settings: Vec<String> = values
            .iter()
            .map(|value| format!("{key}: {value}"))
            .collect();
        print!("{name}  {key:<26} {default:>7}");
        for (value, ratios) in values
            .iter()
            .zip(beside_the_default(&once, &settings, rounds))
        {
            match ratios {
                Some([cpu, wall]) => print!("  {value:>6} {cpu:.2} / {wall:.2}"),
                None => print!("  {value:>6}     refused"),
            }
        }
        println!();
    }
    Ok(())
}

/// Prints what settings of the caller's choice take against the defaults; each of `settings` is
/// `section.key: value`, or several with commas between them.
///
/// # Errors
///
/// When there is no such workload.
pub fn against(name: &str, records: u64, rounds: usize, settings: &[&str]) -> Result<(), String> {
    let once = subject_of(name, records)?;
    println!("{name}: CPU / wall time against the default, {records} records, medians of {rounds}");
    let lines: Vec<String> = settings
        .iter()
        .map(|settings| settings.replace(", ", "\n"))
        .collect();
    for (settings, ratios) in settings
        .iter()
        .zip(beside_the_default(&once, &lines, rounds))
    {
        match ratios {
            Some([cpu, wall]) => println!("{name}  {cpu:.2} / {wall:.2}  {settings}"),
            None => println!("{name}  refused      {settings}"),
        }
    }
    Ok(())
}

/// Prints the best cells of the grid by CPU and by wall time, against the defaults; of the cells
/// every `step`th runs.
///
/// # Errors
///
/// When there is no such workload.
pub fn grid(name: &str, records: u64, rounds: usize, step: usize) -> Result<(), String> {
    let once = subject_of(name, records)?;
    let (cells, refused) = single_runs(&once, step);
    println!(
        "{name}: {} cells of the grid, {refused} more are refused; {records} records; the best run \
         again, medians of {rounds} against the default",
        cells.len()
    );
    for (by, what) in ["CPU time", "wall time"].into_iter().enumerate() {
        let mut best: Vec<&(String, [f64; 2])> = cells.iter().collect();
        best.sort_by(|(_, one), (_, other)| one[by].total_cmp(&other[by]));
        best.truncate(AGAIN);
        let settings: Vec<String> = best.iter().map(|(settings, _)| settings.clone()).collect();
        let again = beside_the_default(&once, &settings, rounds);
        let mut again: Vec<(String, [f64; 2])> = settings
            .into_iter()
            .zip(again)
            .filter_map(|(settings, ratios)| Some((settings, ratios?)))
            .collect();
        again.sort_by(|(_, one), (_, other)| one[by].total_cmp(&other[by]));
        println!("best by {what}:");
        for (settings, [cpu, wall]) in again {
            println!("  {name}  CPU {cpu:.2}  wall {wall:.2}  {}", settings.replace('\n', ", "));
        }
    }
    Ok(())
}

/// Every `step`th cell once, against the default of the same time; and how many are refused.
fn single_runs(once: &Subject, step: usize) -> (Vec<(String, [f64; 2])>, usize) {
    let (mut cells, mut refused) = (Vec::new(), 0);
    let mut base = default(once);
    let all: usize = GRID.iter().map(|(_, values)| values.len()).product();
    for (run, cell) in (0..all).step_by(step).enumerate() {
        if run % BESIDE == 0 {
            base = default(once);
        }
        let settings = settings_of(cell);
        match once(&settings) {
            Some(cost) => cells.push((settings, cost.over(base))),
            None => refused += 1,
        }
    }
    (cells, refused)
}

/// The settings of a cell, a line each.
fn settings_of(cell: usize) -> String {
    let mut rest = cell;
    let lines = GRID.iter().map(|(key, values)| {
        let value = values[rest % values.len()];
        rest /= values.len();
        format!("{key}: {value}")
    });
    lines.collect::<Vec<_>>().join("\n")
}
