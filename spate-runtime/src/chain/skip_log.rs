//! Logs skipped records at a bounded rate: the first of each kind, then every power of two.
//!
//! Counting is exact elsewhere; the log is for eyes. Needs no clock: a lane that skips one record
//! logs it, one that skips a million logs twenty lines per stage. A test hears of all of them.

use std::error::Error;
use std::sync::{Arc as StdArc, Mutex as StdMutex, PoisonError};

use crate::batch::Meta;
use crate::error::chain_text;
use crate::id::{Offset, Partition};

/// A record that the policy `or_skip` skipped.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Skipped {
    /// The label of the stage that failed.
    pub stage: &'static str,
    /// Where it comes from.
    pub partition: Partition,
    /// Where its payload stands.
    pub offset: Offset,
    /// The error and its causes.
    pub reason: String,
}

/// Everything that was skipped, for a test.
#[derive(Clone, Debug, Default)]
pub struct Skips(StdArc<StdMutex<Vec<Skipped>>>);

impl Skips {
    /// What was skipped so far, in order.
    #[must_use]
    pub fn list(&self) -> Vec<Skipped> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn hear(&self, skipped: Skipped) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(skipped);
    }
}

/// Decides which skips of a lane are worth a line.
#[derive(Debug, Default)]
pub(crate) struct SkipLog {
    /// Label and skips so far, of the stages that skipped any.
    counts: Vec<(&'static str, u64)>,
    /// Who hears of all of them.
    pub(crate) heard: Option<Skips>,
}

impl SkipLog {
    pub(crate) fn skipped(&mut self, stage: &'static str, meta: &Meta<'_>, error: &dyn Error) {
        if let Some(heard) = &self.heard {
            heard.hear(Skipped {
                stage,
                partition: Partition::new(meta.topic(), meta.partition()),
                offset: meta.offset(),
                reason: chain_text(error),
            });
        }
        let count = self.count(stage);
        if count.is_power_of_two() {
            tracing::warn!(
                stage,
                topic = meta.topic(),
                partition = meta.partition(),
                offset = meta.offset().0,
                skipped = count,
                reason = chain_text(error),
                "skipped a record"
            );
        }
    }

    fn count(&mut self, stage: &'static str) -> u64 {
        if let Some((_, count)) = self.counts.iter_mut().find(|(label, _)| *label == stage) {
            *count += 1;
            return *count;
        }
        self.counts.push((stage, 1));
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_is_counted_apart() {
        let mut log = SkipLog::default();
        assert_eq!(log.count("decode"), 1);
        assert_eq!(log.count("price"), 1);
        assert_eq!(log.count("decode"), 2);
    }
}
