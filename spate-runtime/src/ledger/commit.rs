//! When to commit what. Pure.
//!
//! A watermark is committed on an interval when it moved, once when its lane starts, and again now
//! and then although it did not move, so that a broker does not forget an idle partition.
//!
//! Holds: INV-W2 (within an epoch no commit lies below an earlier one).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::id::{Epoch, Watermark};

/// How long an unchanged commit may stand: half of a day, well within the week that brokers keep
/// offsets by default (`offsets.retention.minutes`, 10,080).
const REFRESH: Duration = Duration::from_secs(12 * 60 * 60);

/// What was committed when, by epoch.
#[derive(Debug)]
pub struct CommitSchedule {
    interval: Duration,
    next_at: Instant,
    committed: BTreeMap<Epoch, (Watermark, Instant)>,
}

impl CommitSchedule {
    /// Commits every `interval`, for the first time one interval after `now`.
    #[must_use]
    pub fn new(interval: Duration, now: Instant) -> Self {
        Self { interval, next_at: now + interval, committed: BTreeMap::new() }
    }

    /// Whether an interval has passed; begins the next one if so.
    pub fn is_due(&mut self, now: Instant) -> bool {
        if now < self.next_at {
            return false;
        }
        self.next_at = now + self.interval;
        true
    }

    /// When the interval passes.
    #[must_use]
    pub const fn next_at(&self) -> Instant {
        self.next_at
    }

    /// Whether `watermark` is worth a commit at `now`.
    ///
    /// # Panics
    ///
    /// INV-W2: if it lies below what was committed for this epoch.
    #[must_use]
    pub fn wants(&self, now: Instant, epoch: Epoch, watermark: Watermark) -> bool {
        let Some(&(committed, at)) = self.committed.get(&epoch) else { return true };
        assert!(committed <= watermark, "INV-W2: {watermark} lies below the committed {committed}");
        watermark > committed || now >= at + REFRESH
    }

    /// The commit was accepted.
    pub fn accepted(&mut self, now: Instant, epoch: Epoch, watermark: Watermark) {
        self.committed.insert(epoch, (watermark, now));
    }

    /// What was committed last in this epoch.
    #[must_use]
    pub fn committed(&self, epoch: Epoch) -> Option<Watermark> {
        self.committed.get(&epoch).map(|(watermark, _)| *watermark)
    }

    /// The epoch has ended.
    pub fn forget(&mut self, epoch: Epoch) {
        self.committed.remove(&epoch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_watermark_is_committed_when_it_moved() {
        let now = Clock::manual().now();
        let mut schedule = CommitSchedule::new(SECOND, now);
        let epoch = Epoch(1);
        assert!(schedule.wants(now, epoch, Watermark(5)), "a new lane commits its start");
        schedule.accepted(now, epoch, Watermark(5));
        assert!(!schedule.wants(now, epoch, Watermark(5)));
        assert!(schedule.wants(now, epoch, Watermark(6)));
    }

    /// R010: a partition idle for 30 hours is committed twice more, one that was given up never.
    #[test]
    fn r010_an_idle_commit_is_refreshed() {
        let clock = Clock::manual();
        let start = clock.now();
        let mut schedule = CommitSchedule::new(SECOND, start);
        schedule.accepted(start, Epoch(1), Watermark(77));
        let mut commits = 0;
        for hour in 1..=30 {
            let now = start + hour * 3600 * SECOND;
            if schedule.wants(now, Epoch(1), Watermark(77)) {
                commits += 1;
                schedule.accepted(now, Epoch(1), Watermark(77));
            }
        }
        assert_eq!(commits, 2);
    }

    #[test]
    #[should_panic(expected = "INV-W2")]
    fn a_watermark_never_moves_back() {
        let now = Clock::manual().now();
        let mut schedule = CommitSchedule::new(SECOND, now);
        schedule.accepted(now, Epoch(1), Watermark(50));
        assert!(!schedule.wants(now, Epoch(1), Watermark(35)), "unreachable");
    }

    #[test]
    fn the_interval_counts_from_the_last_tick() {
        let now = Clock::manual().now();
        let mut schedule = CommitSchedule::new(SECOND, now);
        assert!(!schedule.is_due(now));
        assert!(schedule.is_due(now + SECOND));
        assert!(!schedule.is_due(now + SECOND));
        assert!(schedule.is_due(now + 2 * SECOND));
    }
}
