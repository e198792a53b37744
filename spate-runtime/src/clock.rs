//! The only reader of time.
//!
//! Everything that decides takes `now` as an argument; the shells ask a [`Clock`], also for their
//! waits. A virtual clock lets a whole pipeline run in a simulation: who sleeps on it is woken when
//! it is moved, and nobody waits for real.

#![expect(clippy::disallowed_methods, reason = "this is the one place")]

use std::future::poll_fn;
use std::sync::Arc as StdArc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A source of monotonic time.
#[derive(Clone, Debug)]
pub struct Clock(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Real,
    Virtual(StdArc<Virtual>),
}

#[derive(Debug)]
struct Virtual {
    origin: Instant,
    micros: AtomicU64,
    /// Who sleeps, and until when; in microseconds.
    sleepers: Mutex<Vec<(u64, Waker)>>,
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
        Self(Kind::Virtual(StdArc::new(Virtual {
            origin,
            micros: AtomicU64::new(0),
            sleepers: Mutex::default(),
        })))
    }

    /// Monotonic time.
    #[must_use]
    pub fn now(&self) -> Instant {
        match &self.0 {
            Kind::Real => Instant::now(),
            Kind::Virtual(time) => {
                time.origin + Duration::from_micros(time.micros.load(Ordering::Acquire))
            }
        }
    }

    /// Moves a manual clock on and wakes who sleeps; does nothing to the machine's.
    pub fn advance(&self, by: Duration) {
        if let Kind::Virtual(time) = &self.0 {
            time.micros.fetch_add(micros(by), Ordering::AcqRel);
            // All of them: whoever is not due sleeps again.
            let sleepers = std::mem::take(&mut *time.sleepers());
            for (_, waker) in sleepers {
                waker.wake();
            }
        }
    }

    /// Waits until `deadline`; on a manual clock until somebody moved it there. Cancel-safe.
    pub async fn sleep_until(&self, deadline: Instant) {
        match &self.0 {
            Kind::Real => tokio::time::sleep_until(deadline.into()).await,
            Kind::Virtual(time) => {
                // Rounded up: whoever wakes is due.
                let nanos = deadline.saturating_duration_since(time.origin).as_nanos();
                let due = u64::try_from(nanos.div_ceil(1000)).unwrap_or(u64::MAX);
                poll_fn(|cx| {
                    if time.micros.load(Ordering::Acquire) >= due {
                        return Poll::Ready(());
                    }
                    time.sleepers().push((due, cx.waker().clone()));
                    Poll::Pending
                })
                .await;
            }
        }
    }

    /// When the first sleeper of a manual clock is due; `None` if nobody sleeps on it, or if it is
    /// the machine's. A sleeper that was dropped may still be counted.
    #[must_use]
    pub fn next_due(&self) -> Option<Instant> {
        let Kind::Virtual(time) = &self.0 else { return None };
        let due = time.sleepers().iter().map(|(due, _)| *due).min()?;
        Some(time.origin + Duration::from_micros(due))
    }

    /// Parks the thread for `wait` at most; returns at once on a manual clock, which one thread
    /// moves that must not wait for itself.
    pub fn park(&self, wait: Duration) {
        if let Kind::Real = self.0 {
            std::thread::park_timeout(wait);
        }
    }

    /// Waits until `deadline` while other tasks of this thread's runtime run; a manual clock is
    /// moved from sleeper to sleeper on the way. Cancel-safe.
    pub async fn pass_until(&self, deadline: Instant) {
        if let Kind::Real = self.0 {
            return self.sleep_until(deadline).await;
        }
        loop {
            for _ in 0..TURNS {
                tokio::task::yield_now().await;
            }
            let now = self.now();
            if now >= deadline {
                return;
            }
            let next = self.next_due().map_or(deadline, |due| due.min(deadline));
            self.advance(
                next.saturating_duration_since(now)
                    .max(Duration::from_micros(1)),
            );
        }
    }
}

/// Turns after which the tasks of a runtime of one thread have nothing left to do at this moment.
pub(crate) const TURNS: usize = 16;

impl Virtual {
    fn sleepers(&self) -> std::sync::MutexGuard<'_, Vec<(u64, Waker)>> {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Milliseconds since the Unix epoch, for people's eyes only: never part of a decision or a token.
#[must_use]
pub fn unix_millis() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_sleeper_of_a_manual_clock_wakes_when_it_is_moved_there_and_not_before() {
        let io = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime without drivers");
        let clock = Clock::manual();
        let start = clock.now();
        let task = io.spawn({
            let clock = clock.clone();
            async move { clock.sleep_until(start + Duration::from_secs(2)).await }
        });
        let settle = || io.block_on(async { tokio::task::yield_now().await });
        settle();
        assert_eq!(clock.next_due(), Some(start + Duration::from_secs(2)));
        clock.advance(Duration::from_secs(1));
        settle();
        assert!(!task.is_finished());
        assert_eq!(clock.next_due(), Some(start + Duration::from_secs(2)));
        clock.advance(Duration::from_secs(1));
        settle();
        assert!(task.is_finished());
        assert_eq!(clock.next_due(), None);
    }

    #[test]
    fn passing_moves_the_clock_from_sleeper_to_sleeper() {
        let io = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime without drivers");
        let clock = Clock::manual();
        let start = clock.now();
        let woken = io.spawn({
            let clock = clock.clone();
            async move {
                clock.sleep_until(start + Duration::from_millis(10)).await;
                clock.now()
            }
        });
        io.block_on(clock.pass_until(start + Duration::from_secs(60)));
        assert_eq!(clock.now(), start + Duration::from_secs(60));
        let woken = io.block_on(woken).expect("it does not panic");
        assert_eq!(woken, start + Duration::from_millis(10));
    }
}
