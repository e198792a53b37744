//! The whole engine on a virtual clock: one thread, seeded schedules, seeded faults.
//!
//! Controllers, lane loops, drivers, ports, queues, writers, ledgers and assignments are the real
//! ones, as `Plan` puts them together; only the two ends are made: logs with gaps behind a broker
//! that rebalances, and a server that keeps rows and tokens. Processes crash, stop and fail, and
//! others take over. Observers apart from the code look after every step; see `observe.rs`.
//!
//! ```text
//! SPATE_SIM_SEED=17 cargo test -p spate-runtime --lib sim      one seed, as a failure prints it
//! SPATE_SIM_SEEDS=5000 cargo test -p spate-runtime --lib sim   more than 200 seeds
//! ```

mod chain;
mod observe;
mod process;
mod server;
mod source;
mod world;

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use process::Process;
use world::{Shared, World};

/// Rounds with faults before the world calms down.
const ROUNDS: u64 = 150;
/// Rounds after which a calm world that still waits for something is stuck.
const CALM_ROUNDS: u64 = 4_000;

/// Holds INV-W1, INV-W2, INV-A1, INV-A2, INV-L1, INV-L2, INV-L4, INV-L5, INV-Q1, INV-Q2, INV-Q3, INV-S1,
/// INV-S2, INV-S3: no seed finds a schedule that loses a row, passes one that is not durable, or
/// writes one twice within an epoch.
#[test]
fn no_schedule_breaks_a_promise() {
    let seeds = seeds();
    let enough = seeds.end - seeds.start >= 100;
    // A schedule is one thread's; two halves of the seeds are two threads'.
    let seen = std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| {
            let of_half = seeds.clone().filter(move |seed| seed % 2 == half);
            scope.spawn(move || of_half.map(seen).collect::<Result<Vec<_>, String>>())
        });
        halves.map(|half| half.join().expect("panics are caught"))
    });
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    for half in seen {
        let seen = half.unwrap_or_else(|broken| panic!("{broken}"));
        for (what, count) in seen.into_iter().flatten() {
            *counts.entry(what).or_default() += count;
        }
    }
    // A simulation that never sees a fault proves nothing about it.
    let unseen = world::FAULTS
        .iter()
        .find(|what| !counts.contains_key(*what));
    assert!(!enough || unseen.is_none(), "never saw {unseen:?}: {counts:?}");
}

/// What a seed goes through; if it breaks something, what that is and how to see it again.
fn seen(seed: u64) -> Result<BTreeMap<&'static str, u64>, String> {
    let run = catch_unwind(AssertUnwindSafe(|| {
        let mut sim = Sim::new(seed);
        sim.run()?;
        Ok::<_, Vec<String>>(std::mem::take(&mut sim.world.lock().seen))
    }));
    let broken = match run {
        Ok(Ok(seen)) => return Ok(seen),
        Ok(Err(violations)) => violations.join("\n"),
        Err(panic) => crate::lane::drive::panic_text(&*panic),
    };
    Err(format!(
        "seed {seed}: {broken}\nreplay: SPATE_SIM_SEED={seed} cargo test -p spate-runtime --lib sim"
    ))
}

/// The same seed gives the same history, or a replay would show something else.
#[test]
fn a_seed_replays_exactly() {
    let history = |seed| {
        let mut sim = Sim::new(seed);
        sim.run().expect("no promise is broken");
        std::mem::take(&mut sim.world.lock().history)
    };
    for seed in [3, 4] {
        let (one, other) = (history(seed), history(seed));
        let differ = one.iter().zip(&other).position(|(a, b)| a != b);
        let around = differ.map(|at| (&one[at - 3.min(at)..=at], &other[at]));
        assert!(one == other, "seed {seed} differs: {around:#?}");
        assert!(one.len() > 50, "hardly anything happened: {one:?}");
    }
}

fn seeds() -> Range<u64> {
    let number = |name| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    match number("SPATE_SIM_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("SPATE_SIM_SEEDS").unwrap_or(200),
    }
}

struct Sim {
    world: Shared,
    processes: Vec<Process>,
}

impl Sim {
    fn new(seed: u64) -> Self {
        let world = World::begin(seed);
        let count = 1 + world.lock().below(2);
        let processes = (0..count).map(|_| Process::start(&world)).collect();
        Self { world, processes }
    }

    /// Goes on until everything is read, written and committed; what was broken, if something was.
    fn run(&mut self) -> Result<(), Vec<String>> {
        for _ in 0..ROUNDS {
            self.round()?;
        }
        self.world.lock().calm_down();
        let mut rounds = 0;
        while !self.world.lock().is_done() {
            self.round()?;
            rounds += 1;
            if rounds > CALM_ROUNDS {
                let told = self.processes.iter().map(Process::tell).collect::<Vec<_>>();
                let told = told.join("\n");
                return Err(vec![format!("stuck: {}\n{told}", self.world.lock().tell())]);
            }
        }
        self.world.lock().is_over = true;
        for process in &mut self.processes {
            process.drain();
        }
        rounds = 0;
        while !self.processes.is_empty() {
            self.round()?;
            rounds += 1;
            if rounds > CALM_ROUNDS {
                return Err(vec!["stuck in the last drain".to_owned()]);
            }
        }
        self.world.lock().observe_end();
        self.verdict()
    }

    /// Every actor once, in any order, then time moves on and something may happen.
    fn round(&mut self) -> Result<(), Vec<String>> {
        let mut order: Vec<usize> = (0..self.processes.len()).collect();
        self.world.lock().shuffle(&mut order);
        let mut ended = Vec::new();
        for index in order {
            for _ in 0..3 {
                if self.processes[index].step(&self.world) {
                    ended.push(index);
                    break;
                }
                self.observe()?;
            }
        }
        ended.sort_unstable();
        for index in ended.into_iter().rev() {
            let again = self.processes.remove(index).end(&self.world);
            self.verdict()?;
            if again {
                self.processes.push(Process::start(&self.world));
            }
        }
        let wait = {
            let mut world = self.world.lock();
            let wait = world.below(40);
            let calm = world.calm && world.one_in(4);
            Duration::from_millis(if calm { wait * 20 } else { wait })
        };
        self.world.lock().pass(wait);
        for process in &self.processes {
            process.pass(wait);
        }
        self.happen();
        self.observe()
    }

    /// What the world may do to a process.
    fn happen(&mut self) {
        let mut world = self.world.lock();
        world.produce();
        world.rebalance();
        world.land_late();
        if world.calm || self.processes.is_empty() || !world.one_in(25) {
            return;
        }
        let index = usize::try_from(world.below(self.processes.len() as u64)).unwrap_or(0);
        match world.below(4) {
            0 => {
                world.see("crash");
                drop(world);
                self.processes.remove(index).crash(&self.world);
                self.processes.push(Process::start(&self.world));
            }
            1 => {
                world.see("stop");
                self.processes[index].drain();
            }
            2 => {
                world.see("slow shard");
                world.slow_down();
            }
            _ => world.refuse_for_a_while(),
        }
    }

    fn observe(&mut self) -> Result<(), Vec<String>> {
        for process in &mut self.processes {
            process.observe(&self.world);
        }
        self.verdict()
    }

    fn verdict(&self) -> Result<(), Vec<String>> {
        let violations = std::mem::take(&mut self.world.lock().violations);
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }
}
