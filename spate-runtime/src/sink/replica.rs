//! Which replica of a shard takes the next write. Pure.
//!
//! A breaker per replica:
//!
//! | state | event | next | effect |
//! |---|---|---|---|
//! | closed | success | closed | failures = 0 |
//! | closed | failure, fewer than the limit in a row | closed | |
//! | closed | failure, the limit reached | open until now + wait | the replica is passed over |
//! | open | `now` past its end, chosen | half-open | one write may try |
//! | half-open | success | closed | |
//! | half-open | failure | open until now + twice the wait, capped | |
//!
//! The choice keeps to the replica of the last success. A batch whose outcome is unknown stays
//! with the replica that may hold it, unless replicas share their deduplication log (INV-S2).

use std::time::{Duration, Instant};

use crate::id::ReplicaId;

/// Failures in a row that open a breaker.
const FAILURES_MAX: u32 = 3;
/// How long a breaker stays open at first, and at most.
const OPEN_FIRST: Duration = Duration::from_secs(1);
const OPEN_CAP: Duration = Duration::from_secs(30);

/// The breaker of one replica.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breaker {
    /// Writes go through; so many failed in a row.
    Closed {
        /// Failures since the last success.
        failures: u32,
    },
    /// No write goes through before `until`.
    Open {
        /// When one write may try again.
        until: Instant,
        /// How long it was opened for.
        wait: Duration,
    },
    /// One write is trying.
    HalfOpen {
        /// How long it was open for.
        wait: Duration,
    },
}

impl Breaker {
    /// Whether a write may go through at `now`.
    #[must_use]
    pub fn admits(&self, now: Instant) -> bool {
        match *self {
            Self::Closed { .. } => true,
            Self::Open { until, .. } => now >= until,
            Self::HalfOpen { .. } => false,
        }
    }

    fn chosen(&mut self) {
        if let Self::Open { wait, .. } = *self {
            *self = Self::HalfOpen { wait };
        }
    }

    fn succeeded(&mut self) {
        *self = Self::Closed { failures: 0 };
    }

    fn failed(&mut self, now: Instant) {
        *self = match *self {
            Self::Closed { failures } if failures + 1 < FAILURES_MAX => {
                Self::Closed { failures: failures + 1 }
            }
            Self::Closed { .. } => Self::Open { until: now + OPEN_FIRST, wait: OPEN_FIRST },
            Self::HalfOpen { wait } => {
                let wait = (wait * 2).min(OPEN_CAP);
                Self::Open { until: now + wait, wait }
            }
            Self::Open { until, wait } => Self::Open { until, wait },
        };
    }
}

/// The replicas of one shard.
#[derive(Clone, Debug)]
pub struct Replicas {
    breakers: Vec<Breaker>,
    preferred: usize,
}

impl Replicas {
    /// Makes `count` closed breakers, at least one; the first replica is preferred.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self { breakers: vec![Breaker::Closed { failures: 0 }; count.max(1)], preferred: 0 }
    }

    /// Chooses the replica for a write that no replica holds.
    ///
    /// The preferred one, or the next whose breaker admits; with none, the one that reopens first,
    /// so that a lone replica is still tried (the backoff of the write paces it).
    pub fn choose(&mut self, now: Instant) -> ReplicaId {
        let count = self.breakers.len();
        let in_order = (0..count).map(|step| (self.preferred + step) % count);
        let admitted = in_order
            .clone()
            .find(|&index| self.breakers[index].admits(now));
        let chosen = admitted.unwrap_or_else(|| {
            in_order
                .min_by_key(|&index| match self.breakers[index] {
                    Breaker::Open { until, .. } => until,
                    _ => now,
                })
                .unwrap_or(self.preferred)
        });
        self.breakers[chosen].chosen();
        ReplicaId(chosen)
    }

    /// Says that a write succeeded there: it is preferred from now on.
    pub fn succeeded(&mut self, replica: ReplicaId) {
        self.breakers[replica.0].succeeded();
        self.preferred = replica.0;
    }

    /// Says that a write failed there; the next choice passes on to another if there is one.
    pub fn failed(&mut self, replica: ReplicaId, now: Instant) {
        self.breakers[replica.0].failed(now);
        if self.preferred == replica.0 {
            self.preferred = (replica.0 + 1) % self.breakers.len();
        }
    }

    /// Shape `[replica]`.
    #[must_use]
    pub fn breakers(&self) -> &[Breaker] {
        &self.breakers
    }
}
