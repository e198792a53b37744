//! Decides, attempt by attempt, what becomes of one sealed batch. Pure.
//!
//! | attempt ended with | outcome | next |
//! |---|---|---|
//! | success | | durable |
//! | `Remote` | not written | wait, then any replica (unless one may hold it) |
//! | `Remote` | unknown | wait, then the same replica, unless replicas share tokens |
//! | `Config`, `Record`, `Bug` | | refused: the pipeline stops, the watermark stays |
//!
//! Holds: INV-S2 (a batch that a replica may hold is retried there).

use std::time::{Duration, Instant};

use super::replica::Replicas;
use super::retry::{Backoff, Jitter};
use super::traits::{Outcome, WriteError};
use crate::error::Class;
use crate::id::ReplicaId;

/// What to do after an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Try again after this wait.
    Retry(Duration),
    /// Never try again.
    Refused,
}

/// One sealed batch on its way.
#[derive(Debug)]
pub struct Attempts {
    backoff: Backoff,
    share_tokens: bool,
    failures: u32,
    /// The replica that may hold the batch.
    held_by: Option<ReplicaId>,
}

impl Attempts {
    /// Makes a batch's way: `share_tokens` as its sink's layout says.
    #[must_use]
    pub const fn new(backoff: Backoff, share_tokens: bool) -> Self {
        Self { backoff, share_tokens, failures: 0, held_by: None }
    }

    /// The replica to try now.
    pub fn replica(&self, replicas: &mut Replicas, now: Instant) -> ReplicaId {
        self.held_by.unwrap_or_else(|| replicas.choose(now))
    }

    /// Takes the error of an attempt at `replica` and says what to do.
    pub fn failed(
        &mut self,
        replica: ReplicaId,
        error: &WriteError,
        replicas: &mut Replicas,
        now: Instant,
        jitter: &mut Jitter,
    ) -> Next {
        if error.class != Class::Remote {
            return Next::Refused;
        }
        replicas.failed(replica, now);
        if error.outcome == Outcome::Unknown && !self.share_tokens {
            self.held_by = Some(replica);
        }
        self.failures = self.failures.saturating_add(1);
        Next::Retry(self.backoff.wait(self.failures, jitter.draw()))
    }

    /// Attempts that failed so far.
    #[must_use]
    pub const fn failures(&self) -> u32 {
        self.failures
    }
}
