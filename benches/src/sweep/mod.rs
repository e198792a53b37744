//! Whether the defaults are the tuned values: one knob at a time around the default.
//!
//! In every round each value of a knob runs once beside the default; what is printed is the median
//! over the rounds of its CPU time against the default's in the same round, so that a machine that
//! is busy for a while is busy for both.

#![expect(clippy::print_stdout, reason = "a command line program")]

use std::sync::Arc;
use std::time::Duration;

use crate::arena::Arena;
use crate::engine::{self, Ends};
use crate::w3::{self, world::World};
use crate::{cpu, w6};

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

/// Runs a workload once with the lines of a configuration; returns the CPU time.
type Run = Box<dyn Fn(&str) -> Duration>;

/// The workload called `name` as the sweep runs it.
fn workload(name: &str, records: u64) -> Option<Run> {
    let in_engine = move |pipeline: fn(spate::Config) -> spate::Pipeline, ends: Ends| -> Run {
        Box::new(move |settings| {
            let pipeline = pipeline(w6::parse(&yaml(settings)));
            let start = cpu::of_all_threads();
            engine::run(&pipeline, ends.clone());
            cpu::of_all_threads() - start
        })
    };
    match name {
        "W1" => {
            let ends = Ends { arenas: w6::orders_of(records, 4), shards: 1 };
            Some(in_engine(w6::orders::pipeline, ends))
        }
        "W2" => {
            let arenas = (0..4).map(|_| Arc::new(Arena::fixed(records * 2)));
            Some(in_engine(w6::ticks::pipeline, Ends { arenas: arenas.collect(), shards: 4 }))
        }
        "W3" => {
            let (world, expected) = (Arc::new(World::start()), w3::expected(records));
            Some(Box::new(move |settings| {
                let start = w3::clock();
                w3::run(&world, records, settings, expected);
                w3::clock() - start
            }))
        }
        _ => None,
    }
}

/// `section.key: value` lines as YAML; a line of the section `pipeline` wins over ours.
fn yaml(settings: &str) -> String {
    let of = |name: &str| {
        let lines = settings.lines().filter_map(|line| line.split_once('.'));
        let lines = lines.filter(|(section, _)| *section == name);
        lines
            .map(|(_, setting)| format!("  {setting}\n"))
            .collect::<String>()
    };
    let mut text = format!("pipeline:\n  threads: 1\n  admin: off\n{}", of("pipeline"));
    let rows = of("rows");
    if !rows.is_empty() {
        text.push_str(&format!("rows:\n{rows}"));
    }
    text
}

/// Prints a table of every knob's values against the default.
///
/// # Errors
///
/// When there is no such workload.
pub fn run(name: &str, records: u64, rounds: usize) -> Result<(), String> {
    let once = workload(name, records).ok_or_else(|| format!("no sweep runs `{name}`"))?;
    println!("{name}: CPU time against the default, {records} records, medians of {rounds}");
    once("");
    for Knob { key, default, values } in &KNOBS {
        // The arenas' lane gives out as much at a time as Kafka's default, whatever it is told.
        if key.starts_with("input.") && name != "W3" {
            continue;
        }
        let mut ratios = vec![Vec::with_capacity(rounds); values.len()];
        for _ in 0..rounds {
            let base = once("").as_secs_f64();
            for (value, ratios) in values.iter().zip(&mut ratios) {
                ratios.push(once(&format!("{key}: {value}")).as_secs_f64() / base);
            }
        }
        print!("{name}  {key:<26} {default:>8} 1.00");
        for (value, ratios) in values.iter().zip(&mut ratios) {
            ratios.sort_unstable_by(f64::total_cmp);
            print!("   {value:>7} {:.2}", ratios[ratios.len() / 2]);
        }
        println!();
    }
    Ok(())
}
