//! What the fused loop gets from its lane: where it stands, and the cold paths of its policies.
//!
//! Lane thread only. The hot methods are a store or two; everything about errors is cold.

use std::error::Error;
use std::fmt::Write as _;

use super::dead_letter::{DeadLetter, LetterScratch};
use super::skip_log::{SkipLog, Skips};
use crate::batch::{Batch, Meta, Payload};
use crate::error::chain_text;
use crate::graph::ChainNode;
use crate::id::Offset;

/// How far the loop came with a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Progress {
    /// All payloads went through.
    Done,
    /// A frame is parked: call again with the same batch when its queue has room.
    Blocked,
    /// The chain stopped the pipeline before the payload in hand; see [`LaneCx::stopped`].
    Stopped,
}

/// Why a chain stopped its lane.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// The stage's label; empty if the sink refused the row.
    pub stage: &'static str,
    /// The offset of the payload in hand: the watermark stays at or below it.
    pub offset: Offset,
    /// What stopped it.
    pub by: StoppedBy,
}

/// What stopped a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoppedBy {
    /// The policy `or_stop`, on this error and its causes.
    Policy(String),
    /// An operator that gave more records for one than its `fan_out`.
    FanOut {
        /// The most it may give.
        limit: usize,
        /// Where its stage stands, from 1.
        line: u32,
    },
}

/// The lane's side of the fused loop.
#[derive(Debug)]
pub struct LaneCx {
    chain: &'static ChainNode,
    taken: usize,
    stage: usize,
    stopped: Option<Stopped>,
    skips: SkipLog,
    letters: LetterScratch,
}

impl LaneCx {
    /// Makes the context of one lane of `chain`.
    #[must_use]
    pub fn new(chain: &'static ChainNode) -> Self {
        Self {
            chain,
            taken: 0,
            stage: 0,
            stopped: None,
            skips: SkipLog::default(),
            letters: LetterScratch::default(),
        }
    }

    /// Lets a test hear of every record that is skipped.
    #[must_use]
    pub(crate) fn heard_by(mut self, skips: Option<Skips>) -> Self {
        self.skips.heard = skips;
        self
    }

    /// The payloads of `batch` that were not taken yet: all of them, unless the loop was blocked.
    #[inline]
    #[must_use]
    pub fn rest<'buf>(&self, batch: Batch<'buf>) -> &'buf [Payload<'buf>] {
        batch.payloads().get(self.taken..).unwrap_or_default()
    }

    /// Takes a payload in hand and says where it stands.
    #[inline]
    pub fn take(&mut self, payload: &Payload<'_>) -> Offset {
        self.taken += 1;
        payload.offset
    }

    /// Says which stage runs next, so that a panic in it can be named. A plain store.
    #[inline]
    pub fn enter(&mut self, stage: usize) {
        self.stage = stage;
    }

    /// The policy `or_skip`: logs the record at a bounded rate; the caller counts it.
    #[cold]
    pub fn skipped(&mut self, stage: usize, meta: &Meta<'_>, error: &dyn Error) {
        self.skips.skipped(self.label(stage), meta, error);
    }

    /// The policy `or_stop`: remembers why.
    #[cold]
    pub fn stop(&mut self, stage: usize, meta: &Meta<'_>, error: &dyn Error) -> Progress {
        self.stopped = Some(Stopped {
            stage: self.label(stage),
            offset: meta.offset(),
            by: StoppedBy::Policy(chain_text(error)),
        });
        Progress::Stopped
    }

    /// An operator gave one record more than its `fan_out`: remembers which.
    #[cold]
    pub fn over_fan_out(&mut self, stage: usize, meta: &Meta<'_>, limit: usize) -> Progress {
        let line = self.chain.stages.get(stage).map_or(0, |stage| stage.line);
        self.stopped = Some(Stopped {
            stage: self.label(stage),
            offset: meta.offset(),
            by: StoppedBy::FanOut { limit, line },
        });
        Progress::Stopped
    }

    /// The policy `or_to`: makes the dead letter. `item` is the item's index within the payload.
    #[cold]
    pub fn dead_letter<'a>(
        &'a mut self,
        stage: usize,
        meta: &Meta<'a>,
        item: u32,
        error: &dyn Error,
    ) -> DeadLetter<'a> {
        let stage = self.label(stage);
        self.letters.begin(meta);
        let reason = self.letters.reason();
        push_text(reason, error);
        let mut next = error.source();
        while let Some(cause) = next {
            reason.push_str(": ");
            push_text(reason, cause);
            next = cause.source();
        }
        self.letters.letter(stage, meta, item)
    }

    /// The loop's way out when a frame is parked.
    #[inline]
    pub fn blocked(&mut self) -> Progress {
        Progress::Blocked
    }

    /// The loop's way out when all payloads went through.
    #[inline]
    pub fn done(&mut self) -> Progress {
        Progress::Done
    }

    /// Payloads taken from the batch in hand, the one in hand included.
    #[must_use]
    pub const fn taken(&self) -> usize {
        self.taken
    }

    /// The label of the stage entered last.
    #[must_use]
    pub fn stage(&self) -> &'static str {
        self.label(self.stage)
    }

    /// Why the loop returned [`Progress::Stopped`].
    #[must_use]
    pub const fn stopped(&self) -> Option<&Stopped> {
        self.stopped.as_ref()
    }

    /// Begins a new batch.
    pub fn begin_batch(&mut self) {
        self.taken = 0;
    }

    fn label(&self, stage: usize) -> &'static str {
        self.chain.stages.get(stage).map_or("", |stage| stage.label)
    }
}

/// Appends what `error` displays; a `Display` that fails leaves what it wrote so far.
fn push_text(to: &mut String, error: &dyn Error) {
    if write!(to, "{error}").is_err() {
        to.push_str("(its text could not be made)");
    }
}
