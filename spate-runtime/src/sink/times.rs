//! How long things took, as a histogram counts it: how many were at most so long.
//!
//! Writers add (I/O runtime), snapshots read. One atomic add for the count and one for the sum; the
//! bounds are fixed, so the number of series is too.

use std::time::Duration;

use crate::sync::{AtomicU64, Ordering};

/// Upper bounds, inclusive, in milliseconds; beyond the last there is one more count.
pub const BOUNDS_MS: [u64; 14] =
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 60_000];

/// Counts that rise, from the start of the process.
#[derive(Debug, Default)]
pub struct Times {
    counts: [AtomicU64; BOUNDS_MS.len() + 1],
    micros: AtomicU64,
}

impl Times {
    /// Counts one.
    pub fn add(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let at = BOUNDS_MS.partition_point(|bound| bound * 1_000 < micros);
        self.counts[at].fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }
}

/// [`Times`] read at one moment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TimeCounts {
    /// Shape as [`BOUNDS_MS`], and one more: how many fall between a bound and the one before.
    pub counts: [u64; BOUNDS_MS.len() + 1],
    /// The sum of all, in microseconds.
    pub micros: u64,
}

impl TimeCounts {
    /// Adds what `times` has counted so far.
    pub fn add(&mut self, times: &Times) {
        for (sum, count) in self.counts.iter_mut().zip(&times.counts) {
            *sum += count.load(Ordering::Relaxed);
        }
        self.micros += times.micros.load(Ordering::Relaxed);
    }

    /// How many were counted.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_counted_below_the_first_bound_that_holds_it() {
        let times = Times::default();
        for micros in [0, 1_000, 1_001, 60_000_000, 60_000_001] {
            times.add(Duration::from_micros(micros));
        }
        let mut read = TimeCounts::default();
        read.add(&times);
        assert_eq!(read.counts, [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
        assert_eq!((read.total(), read.micros), (5, 120_002_002));
    }
}
