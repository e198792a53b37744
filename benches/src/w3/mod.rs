//! W3: the whole path. Kafka → JSON → RowBinary → INSERTs to a server on loopback.
//!
//! Broker and server live in a process of their own ([`world`]), so that the CPU time of this one
//! is what consuming, working and inserting cost: every thread of ours and of librdkafka, the
//! controller, the writers and the sockets. A thread that tells the world how far lanes have read
//! (the broker keeps 5 MB a partition and is refilled) is taken out of the sum on both sides.

mod twin;
pub mod world;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use spate::prelude::*;
use spate_runtime::lane::shared::LaneShared;

use self::world::{At, PARTITIONS, World};
use crate::arena::Arena;
use crate::cpu;
use crate::sum::Sum;
use crate::w1::{self, OrderIn, OrderRow, is_live, row_of};
use crate::workload::{Ratio, Side, Sides, Workload};

/// This workload.
pub const WORKLOAD: Workload = Workload {
    name: "W3",
    what: "the whole path: Kafka, JSON, RowBinary, INSERTs over HTTP",
    records: 600_000,
    sides,
};

fn sides(records: u64) -> Sides {
    let world = Arc::new(World::start());
    let expected = expected(records);
    let twins = Arc::clone(&world);
    let sides = vec![
        Side::new("spate", move |_| {
            let places = world.fill(records);
            let rows = run_in(&world, &places, records, "", expected);
            rows.expect("the configuration is right")
        }),
        Side::new("twin", move |_| {
            let places = twins.fill(records);
            let progress = Arc::new(At::default());
            let reads = Arc::clone(&progress);
            let reporter = Reporter::start(&twins, records, move || reads.load());
            twin::run(&places, records, &progress);
            reporter.join();
            checked(&twins, expected)
        }),
    ];
    let sides = Sides::new(sides, vec![Ratio::at_most("spate", "twin", 1.10)]);
    Sides { clock, ..sides }
}

/// The pipeline.
#[pipeline]
pub mod orders {
    use super::*;

    /// Where records come from.
    #[source]
    fn input() -> Kafka<Json<OrderIn<'_>>>;

    /// Where rows go.
    #[sink]
    fn rows() -> ClickHouse<OrderRow<'_>>;

    chain!({
        input
            .decode()
            .or_stop()
            .filter(is_live)
            .map(row_of)
            .to(rows);
    });
}

/// Runs the pipeline over `records` records that `places` was filled with, with the lines of
/// `settings` in its configuration. Returns the rows; `None` if the configuration is refused.
///
/// # Panics
///
/// If it fails, or if the rows that arrived are not those expected.
pub fn run_in(
    world: &Arc<World>,
    places: &world::Places,
    records: u64,
    settings: &str,
    expected: Sum,
) -> Option<u64> {
    let running = orders::pipeline(config(places, settings)).start().ok()?;
    let status = Arc::clone(running.handle().status());
    let mut lanes: Vec<Arc<LaneShared>> = Vec::new();
    let reporter = Reporter::start(world, records, move || {
        let mut at = [0; PARTITIONS];
        if lanes.len() < PARTITIONS {
            lanes = status.lanes().into_iter().map(|lane| lane.shared).collect();
        }
        for lane in &lanes {
            at[lane.partition.id as usize] = lane.position().0;
        }
        at
    });
    reporter.join();
    running.handle().drain();
    let report = running.wait();
    assert!(report.exit_code() == 0 && report.balance().is_ok(), "{report}");
    Some(checked(world, expected))
}

/// The configuration of a pipeline in `world`; a line of `settings` is `section.key: value`.
///
/// # Panics
///
/// If a line is none.
#[must_use]
pub fn config(places: &world::Places, settings: &str) -> spate::Config {
    let world::Places { brokers, url } = places;
    let mut sections = [
        ("pipeline", "  threads: 1\n  admin: off\n".to_owned()),
        ("input", format!("  brokers: \"{brokers}\"\n  topic: {}\n  group: w3\n", world::TOPIC)),
        ("rows", format!("  url: {url}\n  table: rows\n  compression: none\n")),
    ];
    for line in settings.lines() {
        let (section, setting) = line.split_once('.').expect("`section.key: value`");
        let section = sections.iter_mut().find(|(name, _)| *name == section);
        let (_, text) = section.expect("a section of this pipeline");
        let key = format!("  {}:", setting.split(':').next().unwrap_or_default());
        let kept = text.lines().filter(|line| !line.starts_with(&key));
        let kept: Vec<&str> = kept.collect();
        *text = format!("{}\n  {setting}\n", kept.join("\n"));
    }
    let text: String = sections
        .iter()
        .map(|(name, text)| format!("{name}:\n{text}"))
        .collect();
    spate::Config::parse("w3.yaml", &text, &|_| None).expect("it is YAML")
}

/// What must arrive: every row of the arena, encoded by W1's twin.
#[must_use]
pub fn expected(records: u64) -> Sum {
    let mut sum = Sum::default();
    w1::twin::serde_json(&Arena::orders(records), |bytes| sum.add(bytes, w1::row_len));
    sum
}

/// What arrived, in rows.
fn checked(world: &World, expected: Sum) -> u64 {
    let arrived = world.sum();
    assert_eq!(arrived, expected, "the rows that arrived differ from the rows that were sent");
    arrived.rows
}

/// CPU time of reporters that have ended, in nanoseconds.
static REPORTED: AtomicU64 = AtomicU64::new(0);

/// CPU time of this process without its reporters.
#[must_use]
pub fn clock() -> Duration {
    cpu::of_all_threads() - Duration::from_nanos(REPORTED.load(Ordering::Relaxed))
}

/// Tells the world every few milliseconds how far each partition was read.
struct Reporter(std::thread::JoinHandle<()>);

impl Reporter {
    const EVERY: Duration = Duration::from_millis(5);

    /// Reports what `reads` says until all `records` were read.
    fn start(
        world: &Arc<World>,
        records: u64,
        mut reads: impl FnMut() -> [u64; PARTITIONS] + Send + 'static,
    ) -> Self {
        let world = Arc::clone(world);
        let (never, pause) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            // Nobody sends: what ends the pause is the time, as long as there is a sender.
            let _alive: mpsc::Sender<()> = never;
            let mut told = [0; PARTITIONS];
            loop {
                let at = reads();
                if at != told {
                    world.tell(&world::at(&at));
                    told = at;
                }
                if at.iter().sum::<u64>() >= records {
                    break;
                }
                if pause.recv_timeout(Self::EVERY).is_ok() {
                    break;
                }
            }
            let spent = u64::try_from(cpu::thread().as_nanos()).unwrap_or(0);
            REPORTED.fetch_add(spent, Ordering::Relaxed);
        });
        Self(thread)
    }

    /// Waits until everything was read.
    fn join(self) {
        self.0.join().expect("the reporter does not panic");
    }
}
