//! Logs skipped records at a bounded rate: the first of each kind, then every power of two.
//!
//! Counting is exact elsewhere; the log is for eyes. Needs no clock: a lane that skips one record
//! logs it, one that skips a million logs twenty lines per stage.

use std::error::Error;

use crate::batch::Meta;
use crate::error::chain_text;

/// Decides which skips of a lane are worth a line.
#[derive(Debug, Default)]
pub(crate) struct SkipLog {
    /// Label and skips so far, of the stages that skipped any.
    counts: Vec<(&'static str, u64)>,
}

impl SkipLog {
    pub(crate) fn skipped(&mut self, stage: &'static str, meta: &Meta<'_>, error: &dyn Error) {
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
