//! Drives one lane: fill, run the chain, hand over, and know what to wait for.
//!
//! Lane thread only, or a simulation: it takes `now`, never waits and never reads a clock.
//!
//! | before | step | after |
//! |---|---|---|
//! | frames parked | offer them | a quarter of the budget still parked: `Blocked` |
//! | budget used up | hand over all, ask for a wake | `Blocked` |
//! | no batch in hand | fill | empty: hand over all, `Idle` |
//! | batch in hand | run the chain | done: release; blocked: keep it |
//! | closing | drop the batch, hand over | nothing parked: `Closed` |
//!
//! Holds: INV-L1, INV-L2, INV-W2.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc as StdArc;
use std::sync::atomic::{AtomicBool as StdAtomicBool, Ordering as StdOrdering};
use std::time::Instant;

use super::shared::LaneShared;
use super::source::{Filled, Lane};
use crate::chain::cx::{LaneCx, Progress, StoppedBy};
use crate::chain::lane_chain::LaneChain;
use crate::chain::pool::Pool;
use crate::chain::port::Fault;
use crate::chain::tally::ChainCounters;
use crate::error::SourceError;
use crate::id::{NextOffset, Offset, Partition};
use crate::queue::Slot;
use crate::sync::{Arc, Ordering};

/// What a step came to.
#[derive(Debug)]
pub enum Step {
    /// Something moved: step again.
    Moved,
    /// Nothing to do before the source wakes the lane; no frame is open.
    Idle,
    /// Waits for a queue's slot or for the budget; its slot is woken.
    Blocked,
    /// The partition's bounded run is over and everything is handed over.
    Ended,
    /// Everything is handed over or given up: the lane can be dropped.
    Closed,
    /// The lane stopped before a payload; whole payloads before it are handed over.
    Failed(Box<LaneFailure>),
}

/// Why a lane stopped.
#[derive(Debug)]
pub struct LaneFailure {
    /// Where it stopped.
    pub partition: Partition,
    /// What happened.
    pub kind: LaneFailureKind,
}

/// What stopped a lane.
#[derive(Debug)]
pub enum LaneFailureKind {
    /// An operator panicked.
    Panic {
        /// The stage's label.
        stage: &'static str,
        /// The payload in hand.
        offset: Offset,
        /// What the panic said.
        message: String,
    },
    /// The policy `or_stop`.
    Stopped {
        /// The stage's label.
        stage: &'static str,
        /// The payload in hand.
        offset: Offset,
        /// The error and its causes.
        reason: String,
    },
    /// An operator gave more records for one than its `fan_out`.
    FanOut {
        /// The stage's label.
        stage: &'static str,
        /// Where it stands, from 1.
        line: u32,
        /// The most it may give.
        limit: usize,
        /// The payload in hand.
        offset: Offset,
    },
    /// A row has no representation in its sink's format.
    Encode {
        /// What and where.
        fault: Fault,
        /// The payload in hand.
        offset: Offset,
    },
    /// The source cannot read on.
    Source(SourceError),
}

impl std::fmt::Display for LaneFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let partition = &self.partition;
        match &self.kind {
            LaneFailureKind::Panic { stage, offset, message } => {
                write!(f, "operator `{stage}` panicked on {partition} offset {offset}: {message}")
            }
            LaneFailureKind::Stopped { stage, offset, reason } => {
                write!(f, "stage `{stage}` stopped on {partition} offset {offset}: {reason}")
            }
            LaneFailureKind::FanOut { stage, line, limit, offset } => write!(
                f,
                "operator `{stage}` of line {line} gave more than its `fan_out` of {limit} for one \
                 record of {partition} offset {offset}"
            ),
            LaneFailureKind::Encode { fault, offset } => {
                let Fault { sink, row, column, reason } = fault;
                write!(f, "sink `{sink}` cannot hold a `{row}` of {partition} offset {offset}: ")?;
                if let Some(column) = column {
                    write!(f, "column `{column}`: ")?;
                }
                f.write_str(reason)
            }
            LaneFailureKind::Source(error) => {
                write!(f, "{partition} cannot be read: {}", crate::error::chain_text(error))
            }
        }
    }
}

/// One lane with its chain.
pub struct LaneDriver {
    lane: Box<dyn Lane>,
    chain: Box<dyn LaneChain>,
    cx: LaneCx,
    shared: Arc<LaneShared>,
    counters: Arc<ChainCounters>,
    pool: Arc<Pool>,
    slot: Slot,
    state: State,
    /// Payloads of the batch in hand that were counted already.
    counted: usize,
    /// The last fill came back empty, and the source has not called since if `ready` is false.
    asleep: bool,
    ready: StdArc<StdAtomicBool>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Reads on; whether a batch is in hand.
    Running { batch: bool },
    /// Reads no more: hands over what is open.
    Closing,
    /// The bounded run is over; whether that was told.
    Ended { told: bool },
    /// Stopped before a payload.
    Failed,
}

impl std::fmt::Debug for LaneDriver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LaneDriver")
            .field("partition", &self.shared.partition)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

/// What a driver is made from.
#[derive(Debug)]
pub struct LaneParts<'a> {
    /// The lane's shared part.
    pub shared: Arc<LaneShared>,
    /// The counters of its chain.
    pub counters: Arc<ChainCounters>,
    /// The frame memory.
    pub pool: Arc<Pool>,
    /// What wakes its thread.
    pub slot: &'a Slot,
}

impl LaneDriver {
    /// Puts a lane and its chain together.
    #[must_use]
    pub fn new(
        mut lane: Box<dyn Lane>,
        chain: Box<dyn LaneChain>,
        cx: LaneCx,
        parts: LaneParts<'_>,
    ) -> Self {
        let waker = parts.slot.clone();
        let ready = StdArc::new(StdAtomicBool::new(true));
        let set_ready = StdArc::clone(&ready);
        lane.set_waker(StdArc::new(move || {
            set_ready.store(true, StdOrdering::Release);
            waker.wake();
        }));
        Self {
            lane,
            chain,
            cx,
            shared: parts.shared,
            counters: parts.counters,
            pool: parts.pool,
            slot: parts.slot.clone(),
            state: State::Running { batch: false },
            counted: 0,
            asleep: false,
            ready,
        }
    }

    /// The lane's shared part.
    #[must_use]
    pub const fn shared(&self) -> &Arc<LaneShared> {
        &self.shared
    }

    /// Does what there is to do now, and never waits.
    pub fn step(&mut self, now: Instant) -> Step {
        let (mut parked, mut overfull) = (false, false);
        self.chain.sinks().each_port(&mut |port| {
            port.set_now(now);
            parked |= !port.offer_parked();
            overfull |= port.is_overfull();
        });
        match self.state {
            State::Running { .. } if overfull => {
                // Nothing is gained by keeping the frames of other sinks open meanwhile.
                self.hand_over_all();
                Step::Blocked
            }
            State::Running { batch } => self.step_running(batch, parked),
            State::Closing => {
                if self.hand_over_all() {
                    Step::Closed
                } else {
                    Step::Blocked
                }
            }
            State::Ended { told } => {
                if !self.hand_over_all() {
                    return Step::Blocked;
                }
                self.state = State::Ended { told: true };
                if told { Step::Idle } else { Step::Ended }
            }
            State::Failed if parked => Step::Blocked,
            State::Failed => Step::Idle,
        }
    }

    fn step_running(&mut self, batch: bool, parked: bool) -> Step {
        if self.pool.is_over_budget() {
            self.hand_over_all();
            if !self.pool.wait_for_room(&self.slot) {
                return Step::Blocked;
            }
        }
        if !batch {
            // Cleared before the fill: what arrives from here on sets it again.
            let ready = self.ready.swap(false, StdOrdering::AcqRel);
            if self.asleep && !ready {
                return if parked { Step::Blocked } else { Step::Idle };
            }
            match self.lane.fill() {
                Ok(Filled::Payloads) => {
                    self.asleep = false;
                    self.begin_batch();
                }
                Ok(Filled::Empty) => {
                    self.asleep = true;
                    return self.idle();
                }
                Ok(Filled::Ended) => {
                    self.advance_to_source();
                    self.state = State::Ended { told: false };
                    return Step::Moved;
                }
                Err(error) => return self.fail(None, LaneFailureKind::Source(error)),
            }
        }
        self.run()
    }

    fn begin_batch(&mut self) {
        self.cx.begin_batch();
        self.counted = 0;
        self.state = State::Running { batch: true };
    }

    /// A fill came back empty: nothing is gained by keeping frames open, so none is overdue.
    fn idle(&mut self) -> Step {
        self.advance_to_source();
        if self.hand_over_all() { Step::Idle } else { Step::Blocked }
    }

    fn run(&mut self) -> Step {
        let batch = self.lane.batch();
        let (chain, cx) = (&mut self.chain, &mut self.cx);
        let outcome = catch_unwind(AssertUnwindSafe(|| chain.run(batch, cx)));
        let fault = self.fault();
        let whole = match &outcome {
            Ok(Progress::Done | Progress::Blocked) if fault.is_none() => self.cx.taken(),
            _ => self.cx.taken().saturating_sub(1),
        };
        let payloads = self.lane.batch().payloads();
        let offset_of = |taken: usize| {
            let payload = taken.checked_sub(1).and_then(|last| payloads.get(last));
            payload.map(|payload| payload.offset)
        };
        let position = offset_of(whole).map(Offset::next);
        let in_hand = offset_of(self.cx.taken()).unwrap_or_default();

        self.chain.flush_tally(&self.counters);
        let taken = self.cx.taken() - self.counted;
        self.counters
            .payloads
            .fetch_add(taken as u64, Ordering::Relaxed);
        self.counted = self.cx.taken();
        let stopped = whole < self.cx.taken();
        if stopped {
            self.chain.sinks().each_port(&mut |port| port.cut(in_hand));
        }
        if let Some(position) = position {
            self.advance(position);
        }

        if let Some(fault) = fault {
            self.counters.in_hand.fetch_add(1, Ordering::Relaxed);
            return self.fail(Some(in_hand), LaneFailureKind::Encode { fault, offset: in_hand });
        }
        match outcome {
            Ok(Progress::Done) => {
                self.lane.release();
                self.state = State::Running { batch: false };
                self.chain
                    .sinks()
                    .each_port(&mut |port| port.hand_over_due());
                Step::Moved
            }
            Ok(Progress::Blocked) => Step::Moved,
            Ok(Progress::Stopped) => {
                let stopped = self.cx.stopped();
                let stage = stopped.map_or("", |stopped| stopped.stage);
                let offset = in_hand;
                let kind = match stopped.map(|stopped| stopped.by.clone()) {
                    Some(StoppedBy::FanOut { limit, line }) => {
                        self.counters.in_hand.fetch_add(1, Ordering::Relaxed);
                        LaneFailureKind::FanOut { stage, line, limit, offset }
                    }
                    Some(StoppedBy::Policy(reason)) => {
                        LaneFailureKind::Stopped { stage, offset, reason }
                    }
                    None => LaneFailureKind::Stopped { stage, offset, reason: String::new() },
                };
                self.fail(Some(in_hand), kind)
            }
            Err(panic) => {
                self.counters.in_hand.fetch_add(1, Ordering::Relaxed);
                let message = panic_text(&*panic);
                let stage = self.cx.stage();
                self.fail(Some(in_hand), LaneFailureKind::Panic { stage, offset: in_hand, message })
            }
        }
    }

    /// Stops reading: the batch in hand is dropped where it stands, and what is open goes out.
    pub fn close(&mut self) {
        self.shared.close();
        if let State::Running { .. } | State::Ended { .. } = self.state {
            self.lane.release();
            self.state = State::Closing;
        }
        if self.state == State::Failed {
            self.state = State::Closing;
        }
    }

    /// Gives up what is not handed over: the epoch is over.
    pub fn abandon(&mut self) {
        self.shared.end();
        self.chain.sinks().each_port(&mut |port| port.abandon());
        self.lane.release();
        self.state = State::Closing;
    }

    fn advance(&self, position: NextOffset) {
        if position > self.shared.position() {
            self.shared.advance(position);
        }
    }

    fn advance_to_source(&self) {
        if let Some(position) = self.lane.position() {
            self.advance(position);
        }
    }

    /// Hands over every open frame; whether nothing is parked.
    fn hand_over_all(&mut self) -> bool {
        let mut parked = false;
        self.chain.sinks().each_port(&mut |port| {
            port.hand_over_all();
            parked |= port.is_parked();
        });
        !parked
    }

    fn fault(&mut self) -> Option<Fault> {
        let mut fault = None;
        self.chain.sinks().each_port(&mut |port| {
            if fault.is_none() {
                fault = port.take_fault();
            }
        });
        fault
    }

    fn fail(&mut self, in_hand: Option<Offset>, kind: LaneFailureKind) -> Step {
        self.state = State::Failed;
        debug_assert!(
            in_hand.is_none_or(|at| self.shared.position().0 <= at.0),
            "INV-W2: position passed the payload in hand"
        );
        self.lane.release();
        // What is parked now stays parked until the drain that follows closes the lane.
        self.hand_over_all();
        let partition = self.shared.partition.clone();
        Step::Failed(Box::new(LaneFailure { partition, kind }))
    }
}

pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "(no message)".to_owned())
}
