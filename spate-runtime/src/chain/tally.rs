//! Counters of the fused loop: plain integers, moved to shared ones once per batch.

use crate::sync::{AtomicU64, Ordering};

/// What one chain of `N` stages counted since it was last taken; see `StageKind` for what counts.
#[derive(Clone, Debug)]
pub struct Tally<const N: usize> {
    /// Records a stage made beyond one per record in (for an arm: the records that took it).
    pub made: [u64; N],
    /// Records a stage dropped as its purpose is (for a decode: tombstones).
    pub dropped: [u64; N],
    /// Records a stage failed on.
    pub failed: [u64; N],
}

impl<const N: usize> Default for Tally<N> {
    fn default() -> Self {
        Self { made: [0; N], dropped: [0; N], failed: [0; N] }
    }
}

impl<const N: usize> Tally<N> {
    /// Adds all counts to `counters` and starts again from zero.
    pub fn flush(&mut self, counters: &ChainCounters) {
        for (stage, shared) in counters.stages.iter().enumerate() {
            shared
                .made
                .fetch_add(std::mem::take(&mut self.made[stage]), Ordering::Relaxed);
            shared
                .dropped
                .fetch_add(std::mem::take(&mut self.dropped[stage]), Ordering::Relaxed);
            shared
                .failed
                .fetch_add(std::mem::take(&mut self.failed[stage]), Ordering::Relaxed);
        }
    }
}

/// Shared counters of one stage.
#[derive(Debug, Default)]
pub struct StageCounters {
    /// See [`Tally::made`].
    pub made: AtomicU64,
    /// See [`Tally::dropped`].
    pub dropped: AtomicU64,
    /// See [`Tally::failed`].
    pub failed: AtomicU64,
}

/// Shared counters of one chain, read by the report and the metrics.
#[derive(Debug)]
pub struct ChainCounters {
    /// Payloads that went through the chain, from the start of the process.
    pub payloads: AtomicU64,
    /// Records that were in hand when a lane stopped or panicked: in, but nowhere out.
    pub in_hand: AtomicU64,
    /// Shape `[stage]`, as in the chain's `ChainNode`.
    pub stages: Vec<StageCounters>,
}

impl ChainCounters {
    /// Makes counters for `stages` stages, all zero.
    #[must_use]
    pub fn new(stages: usize) -> Self {
        Self {
            payloads: AtomicU64::new(0),
            in_hand: AtomicU64::new(0),
            stages: (0..stages).map(|_| StageCounters::default()).collect(),
        }
    }
}
