//! How long to wait before a write is tried again. Pure.
//!
//! Capped exponential backoff with full jitter over the upper half, so that many writers that
//! failed together do not come back together and none comes back at once.
//!
//! Source: "Exponential Backoff And Jitter", AWS Architecture Blog, 2015 ("equal jitter").

use std::time::Duration;

/// The waits of one sink.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backoff {
    /// The wait after the first failure, before jitter.
    pub base: Duration,
    /// The longest wait, before jitter.
    pub cap: Duration,
}

impl Backoff {
    /// The wait after `failures` failures in a row (at least 1), with `random` to choose by.
    ///
    /// Between half of `min(cap, base * 2^(failures - 1))` and the whole of it, both inclusive.
    #[must_use]
    pub fn wait(&self, failures: u32, random: u64) -> Duration {
        let doublings = failures.saturating_sub(1).min(30);
        let whole = self.base.saturating_mul(1 << doublings).min(self.cap);
        let half = whole / 2;
        let span = u64::try_from((whole - half).as_nanos()).unwrap_or(u64::MAX - 1);
        half + Duration::from_nanos(random % (span + 1))
    }
}

/// A small random generator for jitter: seeded, so that a simulation can replay it.
///
/// Source: SplitMix64, Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014).
#[derive(Clone, Debug)]
pub struct Jitter(u64);

impl Jitter {
    /// Starts from `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub const fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
