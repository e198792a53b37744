//! What a sweep runs: a workload under a configuration, and what that took.

use std::sync::Arc;
use std::time::Duration;

use spate_runtime::clock::Clock;

use crate::arena::Arena;
use crate::engine::{self, Ends};
use crate::w3::{self, world::World};
use crate::{cpu, w6};

/// What one run took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    /// CPU time of all threads.
    pub(super) cpu: Duration,
    /// From the start of the pipeline to its end.
    pub(super) wall: Duration,
}

impl Cost {
    /// CPU and wall time over another's.
    #[must_use]
    pub(super) fn over(self, base: Self) -> [f64; 2] {
        [
            self.cpu.as_secs_f64() / base.cpu.as_secs_f64(),
            self.wall.as_secs_f64() / base.wall.as_secs_f64(),
        ]
    }

    fn of(clock: fn() -> Duration, run: impl FnOnce() -> Option<u64>) -> Option<Self> {
        let (cpu, time) = (clock(), Clock::real());
        let start = time.now();
        run().map(|_| Self { cpu: clock() - cpu, wall: time.now() - start })
    }
}

/// Runs a workload once with `section.key: value` lines; `None` if these settings are refused.
pub(super) type Subject = Box<dyn Fn(&str) -> Option<Cost>>;

/// The workload called `name` as it is swept.
#[must_use]
pub(super) fn subject(name: &str, records: u64) -> Option<Subject> {
    let in_engine = move |pipeline: fn(spate::Config) -> spate::Pipeline, ends: Ends| -> Subject {
        Box::new(move |settings| {
            let pipeline = pipeline(w6::parse(&yaml(settings)));
            Cost::of(cpu::of_all_threads, || engine::try_run(&pipeline, ends.clone()))
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
                // Filling the broker is no part of it.
                let places = world.fill(records);
                Cost::of(w3::clock, || w3::run_in(&world, &places, records, settings, expected))
            }))
        }
        _ => None,
    }
}

/// `section.key: value` lines as YAML, beside what every run has.
fn yaml(settings: &str) -> String {
    let of = |name: &str| {
        let lines = settings.lines().filter_map(|line| line.split_once('.'));
        let lines = lines.filter(|(section, _)| *section == name);
        lines
            .map(|(_, setting)| format!("  {setting}\n"))
            .collect::<String>()
    };
    let mut text = format!("pipeline:\n  threads: 1\n  admin: off\n{}", of("pipeline"));
    for section in ["input", "rows"] {
        let lines = of(section);
        if !lines.is_empty() {
            text.push_str(&format!("{section}:\n{lines}"));
        }
    }
    text
}
