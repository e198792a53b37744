//! The only reader of time.
//!
//! Everything that decides takes `now` as an argument; the shells ask a [`Clock`]. A virtual clock
//! lets a whole pipeline run in a simulation.

#![expect(clippy::disallowed_methods, reason = "this is the one place")]

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::sync::{Arc, AtomicU64, Ordering};

/// A source of monotonic time.
#[derive(Clone, Debug)]
pub struct Clock(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Real,
    Virtual { origin: Instant, micros: Arc<AtomicU64> },
}

impl Clock {
    /// The clock of the machine.
    #[must_use]
    pub const fn real() -> Self {
        Self(Kind::Real)
    }

    /// A clock that moves only when told to.
    #[must_use]
    pub fn manual() -> Self {
        Self::manual_from(Instant::now())
    }

    /// A clock that moves only when told to, from `origin` on.
    #[must_use]
    pub fn manual_from(origin: Instant) -> Self {
        Self(Kind::Virtual { origin, micros: Arc::new(AtomicU64::new(0)) })
    }

    /// Monotonic time.
    #[must_use]
    pub fn now(&self) -> Instant {
        match &self.0 {
            Kind::Real => Instant::now(),
            Kind::Virtual { origin, micros } => {
                *origin + Duration::from_micros(micros.load(Ordering::Acquire))
            }
        }
    }

    /// Moves a manual clock on; does nothing to the machine's.
    pub fn advance(&self, by: Duration) {
        if let Kind::Virtual { micros, .. } = &self.0 {
            let by = u64::try_from(by.as_micros()).unwrap_or(u64::MAX);
            micros.fetch_add(by, Ordering::AcqRel);
        }
    }
}

/// Milliseconds since the Unix epoch, for people's eyes only: never part of a decision or a token.
#[must_use]
pub fn unix_millis() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
