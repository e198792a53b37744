//! A lane thread: a pinned OS thread that runs some lanes.
//!
//! One loop, one park, no timer: commands come over a channel whose sender wakes the parker; data,
//! freed slots and freed budget wake it too. A lane that is idle or blocked has no frame open, so no
//! linger comes due in a park.
//!
//! Holds: INV-L1 (never waits while a lane can move).

use std::sync::Arc as StdArc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::thread::JoinHandle;

use super::drive::{LaneDriver, LaneFailure, Step};
use super::shared::LaneState;
use crate::chain::pool::Pool;
use crate::clock::Clock;
use crate::id::Epoch;
use crate::queue::{Parker, Slot};
use crate::sink::worker::WriterSignal;
use crate::sync::Arc;

/// What the controller asks of a lane thread.
#[derive(Debug)]
pub enum LaneCommand {
    /// Run this lane.
    Add(Box<LaneDriver>),
    /// Stop reading, hand over, drop the lane.
    Close(Epoch),
    /// Give up what is not handed over and drop the lane.
    Abandon(Epoch),
    /// End, once no lane is left.
    End,
}

/// What a lane thread tells the controller.
#[derive(Debug)]
pub enum LaneEvent {
    /// The lane handed everything over (or gave it up) and is dropped.
    Closed(Epoch),
    /// The lane's bounded run is over; it is kept until closed.
    Ended(Epoch),
    /// The lane stopped; it is kept until closed.
    Failed(Epoch, Box<LaneFailure>),
}

/// A running lane thread, from the controller's side.
#[derive(Debug)]
pub struct LaneThread {
    commands: Sender<LaneCommand>,
    slot: Slot,
    join: Option<JoinHandle<()>>,
}

/// What a lane thread is made from.
#[derive(Debug)]
pub struct LaneThreadParts {
    /// Its number, for its name.
    pub index: usize,
    /// The core to pin it to, if any.
    pub core: Option<core_affinity::CoreId>,
    /// Where it tells.
    pub events: Sender<LaneEvent>,
    /// The frame memory.
    pub pool: Arc<Pool>,
    /// Writers to tell when the budget is used up.
    pub writers: StdArc<[Arc<WriterSignal>]>,
    /// Time.
    pub clock: Clock,
}

impl LaneThread {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// When the system has no thread to give.
    pub fn start(parts: LaneThreadParts) -> std::io::Result<Self> {
        let name = format!("spate-lane-{}", parts.index);
        let (mut thread, lanes) = Self::prepare(parts);
        thread.join = Some(
            std::thread::Builder::new()
                .name(name)
                .spawn(move || run(lanes))?,
        );
        Ok(thread)
    }

    /// Both halves, for whoever turns the lanes itself.
    pub(crate) fn prepare(parts: LaneThreadParts) -> (Self, LaneLoop) {
        let (commands, inbox) = std::sync::mpsc::channel();
        let parker = Parker::new();
        let thread = Self { commands, slot: parker.slot(), join: None };
        (thread, LaneLoop { parts, parker, inbox, lanes: Vec::new(), ending: false })
    }

    /// Sends a command and wakes the thread.
    pub fn send(&self, command: LaneCommand) {
        if self.commands.send(command).is_err() {
            tracing::error!("a lane thread has ended before its lanes");
        }
        self.slot.wake();
    }

    /// What wakes it.
    #[must_use]
    pub const fn slot(&self) -> &Slot {
        &self.slot
    }

    /// Asks it to end and waits until it has.
    pub fn join(&mut self) {
        self.send(LaneCommand::End);
        if let Some(join) = self.join.take()
            && join.join().is_err()
        {
            tracing::error!("a lane thread panicked outside an operator");
        }
    }
}

/// The lanes of one thread.
#[derive(Debug)]
pub(crate) struct LaneLoop {
    parts: LaneThreadParts,
    parker: Parker,
    inbox: Receiver<LaneCommand>,
    lanes: Vec<LaneDriver>,
    ending: bool,
}

/// What a turn of all lanes came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// A lane moved: turn again.
    Moved,
    /// Nothing to do before the next wake.
    Park,
    /// The thread was asked to end, and no lane is left.
    End,
}

fn run(mut lanes: LaneLoop) {
    lanes.parker.own();
    if let Some(core) = lanes.parts.core
        && !core_affinity::set_for_current(core)
    {
        tracing::warn!(thread = lanes.parts.index, core = core.id, "pinning is not allowed here");
    }
    loop {
        match lanes.turn() {
            Turn::Moved => {}
            Turn::Park => lanes.parker.park(),
            Turn::End => return,
        }
    }
}

impl LaneLoop {
    /// Takes the pending wake, if there is one, without waiting.
    pub(crate) fn take_wake(&self) -> bool {
        self.parker.take()
    }

    /// Takes the commands that are there and steps every lane once; never waits.
    pub(crate) fn turn(&mut self) -> Turn {
        let Self { parts, lanes, .. } = self;
        self.ending |= take_commands(&self.inbox, lanes);
        let now = parts.clock.now();
        let mut moved = false;
        let mut closed: Vec<Epoch> = Vec::new();
        lanes.retain_mut(|lane| {
            let step = lane.step(now);
            let epoch = lane.shared().epoch;
            lane.shared().set_state(match step {
                Step::Blocked => LaneState::Blocked,
                Step::Moved => LaneState::Moving,
                _ => LaneState::Idle,
            });
            match step {
                Step::Moved => moved = true,
                Step::Idle => {}
                Step::Blocked => {
                    if parts.pool.is_over_budget() {
                        parts.writers.iter().for_each(|writer| writer.gate());
                    }
                }
                Step::Ended => tell(parts, LaneEvent::Ended(epoch)),
                Step::Failed(failure) => tell(parts, LaneEvent::Failed(epoch, failure)),
                Step::Closed => {
                    closed.push(epoch);
                    return false;
                }
            }
            true
        });
        // After the lanes are dropped: the controller gives their partitions back.
        closed
            .drain(..)
            .for_each(|epoch| tell(parts, LaneEvent::Closed(epoch)));
        match (self.ending && lanes.is_empty(), moved) {
            (true, _) => Turn::End,
            (false, true) => Turn::Moved,
            (false, false) => Turn::Park,
        }
    }
}

fn tell(parts: &LaneThreadParts, event: LaneEvent) {
    if parts.events.send(event).is_err() {
        tracing::debug!("the controller has ended before its lane thread");
    }
}

/// Takes every command that is there; whether the thread is to end.
fn take_commands(inbox: &Receiver<LaneCommand>, lanes: &mut Vec<LaneDriver>) -> bool {
    loop {
        match inbox.try_recv() {
            Ok(LaneCommand::Add(lane)) => lanes.push(*lane),
            Ok(LaneCommand::Close(epoch)) => each(lanes, epoch, LaneDriver::close),
            Ok(LaneCommand::Abandon(epoch)) => each(lanes, epoch, LaneDriver::abandon),
            Ok(LaneCommand::End) | Err(TryRecvError::Disconnected) => return true,
            Err(TryRecvError::Empty) => return false,
        }
    }
}

fn each(lanes: &mut [LaneDriver], epoch: Epoch, act: fn(&mut LaneDriver)) {
    lanes
        .iter_mut()
        .filter(|lane| lane.shared().epoch == epoch)
        .for_each(act);
}
