//! The traits a source implements: a control plane for the controller, lanes for the lane threads.
//!
//! ```text
//! controller thread:  Source::poll -> Assigned / Revoked / Lost / Ended    Source::commit
//! lane thread:        Lane::fill -> Lane::batch -> (loop) -> Lane::release
//! ```

use std::sync::Arc;
use std::time::Duration;

use crate::batch::Batch;
use crate::error::SourceError;
use crate::id::{NextOffset, Partition, Watermark};
use crate::preflight::Findings;

/// Wakes whoever runs a lane; cheap to clone and to call, from any thread, also a C library's.
pub type LaneWaker = Arc<dyn Fn() + Send + Sync>;

/// What a fill found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filled {
    /// `batch` is not empty.
    Payloads,
    /// Nothing is there now; the waker is called when something is.
    Empty,
    /// Nothing will ever come again: the partition's bounded run is over.
    Ended,
}

/// One source partition in one assignment, run by one lane thread.
///
/// Does not lend: a lane keeps its batch while the thread runs other lanes.
pub trait Lane: Send {
    /// Takes what is there, up to the source's batch limit, and never waits.
    ///
    /// Called only when the batch before was released. After [`Filled::Empty`] the next arrival
    /// calls the waker (one that races with this call must call it too).
    ///
    /// # Errors
    ///
    /// When the partition cannot be read on: its position is out of range, the broker refused.
    fn fill(&mut self) -> Result<Filled, SourceError>;

    /// The batch of the last fill; empty after a release.
    fn batch(&self) -> Batch<'_>;

    /// Gives the batch's memory back.
    fn release(&mut self);

    /// Sets what to call when `fill` found nothing and something arrived since.
    fn set_waker(&mut self, waker: LaneWaker);

    /// The source's own next position where it can tell one beyond the last payload (control
    /// records and compacted offsets behind it), valid after an empty fill.
    fn position(&self) -> Option<NextOffset> {
        None
    }
}

/// A short text committed with a watermark; versioned ASCII, empty when there is none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Note(pub String);

/// A partition given to this process.
pub struct Assigned {
    /// Which partition.
    pub partition: Partition,
    /// Where reading begins: the committed watermark, or where the source's policy says.
    pub start: NextOffset,
    /// The note committed with that watermark; `None` if there was no commit.
    pub note: Option<Note>,
    /// What reads it.
    pub lane: Box<dyn Lane>,
}

impl std::fmt::Debug for Assigned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Assigned")
            .field("partition", &self.partition)
            .field("start", &self.start)
            .field("note", &self.note)
            .finish_non_exhaustive()
    }
}

/// What the control plane reports.
#[derive(Debug)]
pub enum SourceEvent {
    /// These partitions are ours from now on (may be empty: a member without partitions is valid).
    Assigned(Vec<Assigned>),
    /// These partitions are to be given back: flush, commit, then call [`Source::released`] for
    /// all of them together. The source goes on polling and defers its unassign until then.
    Revoked(Vec<Partition>),
    /// These partitions are gone already (session lost, topic deleted): no commit can succeed.
    /// [`Source::released`] is called for them too, once their lanes are dropped.
    Lost(Vec<Partition>),
    /// A bounded source gave out everything it will ever give.
    Ended,
    /// Something the operator should read; the source goes on by itself.
    Warning(String),
}

/// What one committed partition carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Commit {
    /// Which partition.
    pub partition: Partition,
    /// Everything below it is durable.
    pub watermark: Watermark,
    /// The note that goes with it.
    pub note: Note,
}

/// How far a partition's log reaches, for the lag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogEnd {
    /// Which partition.
    pub partition: Partition,
    /// The next offset the log will give out to readers of committed data.
    pub end: NextOffset,
}

/// The control plane of a source. All calls come from the controller thread.
pub trait Source: Send {
    /// Looks at the world without reading a record: topic, permissions, settings.
    ///
    /// Waits as long as the source's own request timeout. Reports every finding.
    fn check(&mut self) -> Findings;

    /// Joins: assignments may come from now on.
    ///
    /// # Errors
    ///
    /// When the source refuses what it was given.
    fn start(&mut self) -> Result<(), SourceError>;

    /// Serves the control plane and waits at most `wait` for the next event.
    ///
    /// # Errors
    ///
    /// A fatal error: the pipeline stops with it. What passes by itself is a `Warning` event.
    fn poll(&mut self, wait: Duration) -> Result<Option<SourceEvent>, SourceError>;

    /// Makes the watermarks durable, waiting for the answer.
    ///
    /// # Errors
    ///
    /// `Class::Remote` may be tried again later with newer watermarks; anything else stops.
    fn commit(&mut self, commits: &[Commit]) -> Result<(), SourceError>;

    /// Gives revoked or lost partitions back; their lanes have been dropped.
    fn released(&mut self, partitions: &[Partition]);

    /// Stops (or resumes) fetching a partition: gives prefetched memory back under long pressure.
    fn set_paused(&mut self, partition: &Partition, paused: bool);

    /// How long the source may go unheard before it is evicted; `None` where nothing evicts it.
    fn session_timeout(&self) -> Option<Duration> {
        None
    }

    /// How far the logs reach now; may be empty where the source cannot tell.
    fn log_ends(&mut self) -> Vec<LogEnd>;

    /// Leaves, after the last commit. All lanes have been dropped.
    fn close(&mut self);
}
