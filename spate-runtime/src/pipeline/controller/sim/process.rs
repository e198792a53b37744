//! A simulated process: the real controller, lane loops and writers, stepped by hand.

use std::collections::BTreeMap;
use std::sync::Arc as StdArc;
use std::time::Duration;

use super::super::Outcome;
use super::chain::{GRAPH, SimChain};
use super::server::SimSink;
use super::source::SimSource;
use super::world::{PARTITIONS, Shared};
use crate::chain::port::Route;
use crate::clock::Clock;
use crate::config::{LogFormat, Pin, PipelineSettings, SinkSettings};
use crate::id::{Epoch, Watermark};
use crate::lane::shared::LaneShared;
use crate::pipeline::plan::Plan;
use crate::pipeline::report::Report;
use crate::pipeline::stepped::Stepped;
use crate::preflight::Findings;
use crate::sink::Sink;
use crate::sync::{Arc, Ordering};

pub(super) struct Process {
    id: u64,
    pipeline: Stepped,
    /// What each lane showed last.
    shown: BTreeMap<Epoch, Shown>,
}

struct Shown {
    shared: Arc<LaneShared>,
    watermark: Watermark,
    /// Unresolved frames when its epoch ended.
    ended: Option<usize>,
}

impl Process {
    /// Starts a process with settings of its own.
    pub(super) fn start(world: &Shared) -> Self {
        let (id, settings, sinks) = choose(world);
        let clock = Clock::manual();
        let sinks = sinks.into_iter().enumerate().map(|(sink, settings)| {
            let sink = SimSink { world: world.clone(), process: id, sink, clock: clock.clone() };
            (StdArc::new(sink) as StdArc<dyn Sink>, settings)
        });
        let for_chain = world.clone();
        let plan = Plan {
            graph: &GRAPH,
            settings,
            sources: vec![Box::new(SimSource { world: world.clone(), process: id })],
            sinks: sinks.collect(),
            lookups: Vec::new(),
            chains: vec![Box::new(move |seed| Box::new(SimChain::new(&for_chain, id, seed)))],
            warnings: Findings::default(),
            skips: None,
            clock,
        };
        let pipeline = Stepped::start(plan, id * 100);
        let pool = Arc::clone(&pipeline.status().pool);
        world
            .lock()
            .members
            .get_mut(&id)
            .expect("has settings")
            .pool = Some(pool);
        Self { id, pipeline, shown: BTreeMap::new() }
    }

    /// One actor of the process does one thing; whether the process has ended.
    pub(super) fn step(&mut self, world: &Shared) -> bool {
        let actors = self.pipeline.lanes() as u64 + 2;
        let actor = usize::try_from(world.lock().below(actors)).unwrap_or(0);
        match actor {
            0 => return self.pipeline.turn_controller(),
            1 => self.pipeline.turn_io(),
            lane => {
                self.pipeline.turn_lanes(lane - 2);
            }
        }
        false
    }

    pub(super) fn pass(&self, time: Duration) {
        self.pipeline.pass(time);
    }

    pub(super) fn drain(&self) {
        self.pipeline.drain();
    }

    /// kill -9: everything in the process is gone, what is on the wire may land.
    pub(super) fn crash(self, world: &Shared) {
        let id = self.id;
        world.lock().tell_history(format!("{id} crashes"));
        drop(self);
        world.lock().leaves(id);
    }

    /// The controller has given everything back: the rest of the end, and the books. Whether
    /// another process takes its place.
    pub(super) fn end(self, world: &Shared) -> bool {
        let Self { id, pipeline, .. } = self;
        let ended = pipeline.end();
        let mut world = world.lock();
        world.leaves(id);
        world.tell_history(format!("{id} ends: {:?}", ended.outcome));
        let left = ended.status.pool.in_flight();
        if left > 0 {
            world.violation(format!("INV-Q3: {left} bytes are in flight after the end"));
        }
        for (sink, view) in ended.status.sinks.iter().enumerate() {
            let of = |count: &crate::sync::AtomicU64| count.load(Ordering::Relaxed);
            let (pushed, cut) = (of(&view.shared.pushed), of(&view.shared.cut));
            let (durable, abandoned) = (of(&view.shared.durable), of(&view.shared.abandoned));
            if pushed != durable + abandoned {
                world.violation(format!("{sink}: {pushed} != {durable} + {abandoned}"));
            }
            let taken = world.members[&id].pushes[sink];
            if taken != pushed + cut {
                world.violation(format!("{sink}: chains pushed {taken}, not {pushed} + {cut}"));
            }
        }
        if ended.outcome == Outcome::Failed {
            // Whoever looks after it mends the operators, and starts it again.
            world.traps.clear();
        } else if let Err(imbalances) = Report::of(&ended).balance() {
            world.violation(format!("the report does not balance: {imbalances:?}"));
        }
        if world.is_over && ended.outcome == Outcome::DeadlinePassed {
            world.violation("all was durable, and the drain's deadline passed".to_owned());
        }
        !world.is_over
    }

    /// What the process shows, held against the world.
    pub(super) fn observe(&mut self, world: &Shared) {
        let mut world = world.lock();
        for (epoch, lane) in &self.pipeline.controller.lanes {
            self.shown.entry(*epoch).or_insert_with(|| Shown {
                shared: Arc::clone(&lane.shared),
                watermark: Watermark(0),
                ended: None,
            });
        }
        for shown in self.shown.values_mut() {
            let (shared, watermark) = (&shown.shared, shown.shared.watermark());
            let (partition, limit) = (shared.partition.id, world.limit(shared.partition.id));
            if watermark.0 > limit {
                world.violation(format!("INV-W1: {watermark} of {partition}, durable {limit}"));
            }
            if watermark < shown.watermark {
                let before = shown.watermark;
                world.violation(format!("INV-W2: {watermark} of {partition} after {before}"));
            }
            if shared.unresolved() < shown.ended.unwrap_or(0) {
                world.violation(format!("INV-A2: an ended epoch of {partition} took an ack"));
            }
            shown.watermark = watermark;
            if shared.is_void() && shown.ended.is_none() {
                shown.ended = Some(shared.unresolved());
                world.see("revoke past its bound");
            }
        }
        let pool = &self.pipeline.controller.parts.status.pool;
        if pool.is_over_budget() {
            world.see("over budget");
        }
        let bound = pool.budget() + PARTITIONS as usize * FAN_OUT;
        if pool.in_flight() > bound {
            world.violation(format!("INV-Q3: {} bytes in flight of {bound}", pool.in_flight()));
        }
    }

    /// Where it stands, for whoever reads why it is stuck.
    pub(super) fn tell(&self) -> String {
        let mut text = format!("process {}: awake {:?}", self.id, self.pipeline.awake());
        let pool = &self.pipeline.controller.parts.status.pool;
        text += &format!(", {} of {} bytes in flight", pool.in_flight(), pool.budget());
        for lane in self.pipeline.controller.lanes.values() {
            let shared = &lane.shared;
            text += &format!(
                "\n  {} position {} watermark {} unresolved {} {:?} void {}",
                shared.partition,
                shared.position(),
                shared.watermark(),
                shared.unresolved(),
                shared.state(),
                shared.is_void(),
            );
        }
        for sink in &self.pipeline.controller.parts.status.sinks {
            let queued: Vec<usize> = sink.shared.queues.iter().map(|queue| queue.len()).collect();
            text += &format!("\n  {} queued {queued:?}", sink.shared.name);
        }
        text
    }
}

/// What one payload may take beyond the budget, in each lane: a frame for each of five shards, each
/// growing from the first class into the next.
const FAN_OUT: usize = 5 * (4 + 16 + 64) * 1024;

fn choose(world: &Shared) -> (u64, PipelineSettings, Vec<SinkSettings>) {
    let mut world = world.lock();
    world.born += 1;
    let id = world.born;
    let millis = |world: &mut super::world::World, from: u64, span: u64| {
        Duration::from_millis(from + world.below(span))
    };
    let memory = [0, 20_000, 100_000, 1 << 20][usize::try_from(world.below(4)).unwrap_or(0)];
    let settings = PipelineSettings {
        threads: 1 + usize::try_from(world.below(2)).unwrap_or(0),
        pin: Pin::Off,
        memory,
        commit_interval: millis(&mut world, 10, 200),
        drain_timeout: if world.calm {
            Duration::from_secs(600)
        } else {
            millis(&mut world, 200, 5_000)
        },
        revoke_timeout: millis(&mut world, 20, 1_500),
        stall_after: millis(&mut world, 100, 5_000),
        pause_after: millis(&mut world, 50, 2_000),
        admin: None,
        log: LogFormat::Text,
    };
    let sinks = (0..3)
        .map(|sink| SinkSettings {
            linger: millis(&mut world, 1, 800),
            batch_rows: 1 + world.below(40),
            batch_bytes: 100 + world.below(8_000),
            frame_bytes: 50 + usize::try_from(world.below(4_000)).unwrap_or(0),
            queue_frames: 1 + usize::try_from(world.below(4)).unwrap_or(0),
            max_inflight: 1 + usize::try_from(world.below(2)).unwrap_or(0),
            retry_base: millis(&mut world, 1, 30),
            retry_cap: millis(&mut world, 40, 400),
            route: if sink == 1 { Route::RoundRobin } else { Route::Key },
        })
        .collect::<Vec<_>>();
    let member = world.members.entry(id).or_default();
    member.max_inflight = sinks.iter().map(|sink| sink.max_inflight).collect();
    (id, settings, sinks)
}
