//! What the control plane and the lanes share: the pace, and who has ended.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use spate_runtime::clock::Clock;
use spate_runtime::lane::source::LaneWaker;

use crate::order::Settings;

/// Shared by the source and all its lanes.
pub(super) struct Shared {
    pub(super) settings: Settings,
    pub(super) pace: Option<Pace>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    ended: u32,
    began: Option<Instant>,
    wakers: Vec<LaneWaker>,
}

/// How many records may have been given out by now.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    clock: Clock,
    per_second: u64,
}

/// How often a source with a rate lets its lanes look again.
const TICK: Duration = Duration::from_millis(5);

impl Pace {
    pub(super) const fn new(clock: Clock, per_second: u64) -> Self {
        Self { clock, per_second }
    }

    fn records_since(&self, began: Instant) -> u64 {
        let micros = (self.clock.now() - began).as_micros();
        let records = micros * u128::from(self.per_second) / 1_000_000;
        u64::try_from(records).unwrap_or(u64::MAX)
    }
}

impl Shared {
    pub(super) fn new(settings: Settings, pace: Option<Pace>) -> Self {
        Self { settings, pace, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Starts the pace.
    pub(super) fn begin(&self) {
        self.state().began = self.pace.as_ref().map(|pace| pace.clock.now());
    }

    /// How many records of `partition` may have been given out by now.
    pub(super) fn allowed(&self, partition: u32) -> u64 {
        let Some(pace) = &self.pace else { return u64::MAX };
        let Some(began) = self.state().began else { return 0 };
        let all = Settings { records: Some(pace.records_since(began)), ..self.settings.clone() };
        all.records_in(partition)
    }

    pub(super) fn add_waker(&self, waker: LaneWaker) {
        self.state().wakers.push(waker);
    }

    /// A lane gave out its last record.
    pub(super) fn lane_ended(&self) {
        self.state().ended += 1;
        self.changed.notify_all();
    }

    /// Waits at most `wait` until every lane has ended; whether they have. Keeps the pace.
    pub(super) fn wait_for_end(&self, wait: Duration) -> bool {
        let wait = if self.pace.is_some() { wait.min(TICK) } else { wait };
        let lanes = self.settings.partitions.max(1);
        let (state, _) = self
            .changed
            .wait_timeout_while(self.state(), wait, |state| state.ended < lanes)
            .unwrap_or_else(PoisonError::into_inner);
        let ended = state.ended >= lanes;
        let wakers = if self.pace.is_some() { state.wakers.clone() } else { Vec::new() };
        drop(state);
        for wake in wakers {
            wake();
        }
        ended
    }

    /// Waits `wait`: there is nothing left to report.
    pub(super) fn pass(&self, wait: Duration) {
        let waited = self
            .changed
            .wait_timeout_while(self.state(), wait, |_| true);
        drop(waited);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
