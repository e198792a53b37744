//! A running pipeline that one thread turns by hand, on a clock that moves when it is told to.
//!
//! Controller, lane loops and writers are the real ones, as `Plan` puts them together; only their
//! threads are missing. The simulation of the engine turns them in any order, the harness of an
//! application's tests in one order. Nothing here waits.

use std::sync::Arc as StdArc;
use std::time::Duration;

use super::controller::{Controller, Ended, Requests};
use super::plan::Plan;
use super::status::SharedStatus;
use crate::clock::{Clock, TURNS};
use crate::lane::thread::{LaneLoop, LaneThread, Turn};

/// A pipeline without threads of its own.
pub(crate) struct Stepped {
    pub(crate) controller: Controller,
    lanes: Vec<LaneLoop>,
    awake: Vec<bool>,
    requests: StdArc<Requests>,
    clock: Clock,
}

impl Stepped {
    /// Starts `plan`, whose clock is a manual one; `seed` is what its writers draw from. Nothing is
    /// looked at before: there is no preflight.
    pub(crate) fn start(plan: Plan, seed: u64) -> Self {
        let io = tokio::runtime::Builder::new_current_thread()
            .event_interval(u32::MAX)
            .build()
            .expect("a runtime without drivers asks nothing of the system");
        let clock = plan.clock.clone();
        let mut lanes = Vec::new();
        let (mut controller, requests) = plan
            .controller(io, |parts| {
                let (thread, lane_loop) = LaneThread::prepare(parts);
                lanes.push(lane_loop);
                Ok(thread)
            })
            .expect("starts no thread");
        controller.start_seeded(seed);
        let awake = vec![true; lanes.len()];
        Self { controller, lanes, awake, requests, clock }
    }

    /// How many lane loops there are.
    pub(crate) const fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// What it shows.
    pub(crate) const fn status(&self) -> &SharedStatus {
        self.controller.status()
    }

    /// One turn of the controller; whether everything is given back and the pipeline can end.
    pub(crate) fn turn_controller(&mut self) -> bool {
        self.controller.turn()
    }

    /// Lets the writers do all there is to do at this moment.
    pub(crate) fn turn_io(&self) {
        self.controller.block_on(async {
            for _ in 0..TURNS {
                tokio::task::yield_now().await;
            }
        });
    }

    /// One turn of a lane loop, if anything woke it since; whether it moved.
    pub(crate) fn turn_lanes(&mut self, index: usize) -> bool {
        self.awake[index] |= self.lanes[index].take_wake();
        if self.awake[index] {
            self.awake[index] = self.lanes[index].turn() == Turn::Moved;
        }
        self.awake[index]
    }

    /// Moves the clock.
    pub(crate) fn pass(&self, time: Duration) {
        self.clock.advance(time);
    }

    /// Whether partitions are on their way in or out, or it drains.
    pub(crate) fn is_leaving(&self) -> bool {
        self.controller.is_leaving()
    }

    /// Asks for a drain.
    pub(crate) fn drain(&self) {
        self.requests.drain();
    }

    /// The rest of the end, once the controller has given everything back.
    pub(crate) fn end(self) -> Ended {
        let Self { controller, lanes, .. } = self;
        let ended = controller.end();
        drop(lanes);
        ended
    }

    #[cfg(test)]
    /// What is awake, for whoever reads why it is stuck.
    pub(crate) fn awake(&self) -> &[bool] {
        &self.awake
    }
}
