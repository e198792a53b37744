//! The ledger: frames opened and resolved in, watermark out. Pure.
//!
//! One per lane and epoch. A ring of first offsets in the order the frames were opened, which is
//! also offset order; the watermark is the first offset of the oldest unresolved frame, or the
//! lane's position where none is open.
//!
//! ```text
//!   opened:    [10 resolved][12 open][12 open][17 resolved]      position 21
//!   watermark:              ^ 12
//! ```
//!
//! Holds: INV-A1, INV-W1.

mod commit;
#[cfg(all(test, not(loom)))]
mod model;
mod note;

use std::collections::VecDeque;

pub use commit::CommitSchedule;
pub use note::{Incarnation, NoteBook, NoteError};

use crate::id::{NextOffset, Offset, Watermark};

/// Names one frame in its lane's ledger; counts up within the epoch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct FrameKey(pub u64);

/// Stands for a frame that is resolved: no payload has this offset, because none could follow it.
const RESOLVED: Offset = Offset(u64::MAX);

/// Which frames of a lane are not durable yet.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Key of the frame at the front of `open`.
    base: u64,
    /// First offsets in order of opening, or [`RESOLVED`]. The front is always unresolved.
    open: VecDeque<Offset>,
    /// The first offset of the frame opened last.
    newest: Offset,
    unresolved: usize,
    given_up: usize,
}

impl Ledger {
    /// Registers a frame whose first row comes from `first`.
    ///
    /// # Panics
    ///
    /// INV-A1: if `first` lies below the first offset of the frame opened before.
    pub fn open(&mut self, first: Offset) -> FrameKey {
        let newest = self.newest;
        assert!(
            newest <= first && first != RESOLVED,
            "INV-A1: frame opened at {first}, below {newest}"
        );
        self.newest = first;
        let key = FrameKey(self.base + self.open.len() as u64);
        self.open.push_back(first);
        self.unresolved += 1;
        key
    }

    /// Marks a frame's rows durable; false if it was resolved before.
    ///
    /// # Panics
    ///
    /// INV-A1: if no frame of that key was ever opened.
    pub fn resolve(&mut self, key: FrameKey) -> bool {
        let Some(index) = key.0.checked_sub(self.base) else { return false };
        let slot = usize::try_from(index)
            .ok()
            .and_then(|index| self.open.get_mut(index));
        let Some(slot) = slot else { panic!("INV-A1: {key:?} was never opened") };
        if std::mem::replace(slot, RESOLVED) == RESOLVED {
            return false;
        }
        self.unresolved -= 1;
        if index == 0 {
            while self.open.front() == Some(&RESOLVED) {
                self.open.pop_front();
                self.base += 1;
            }
        }
        true
    }

    /// The first offset not covered by the resolved prefix, given where the lane stands.
    ///
    /// `position` must have been read before the frames opened below it could be missed: see
    /// `LaneShared::watermark`.
    #[must_use]
    pub fn watermark(&self, position: NextOffset) -> Watermark {
        match self.open.front() {
            Some(first) => Watermark(first.0.min(position.0)),
            None => Watermark(position.0),
        }
    }

    /// Says that an open frame will not become durable in this epoch: nobody need wait for it.
    ///
    /// It holds the watermark all the same.
    pub fn give_up(&mut self, key: FrameKey) {
        let index = key
            .0
            .checked_sub(self.base)
            .and_then(|index| usize::try_from(index).ok());
        let first = index.and_then(|index| self.open.get(index));
        if first.is_some_and(|first| *first != RESOLVED) {
            self.given_up += 1;
        }
    }

    /// Frames that hold the watermark.
    #[must_use]
    pub const fn unresolved(&self) -> usize {
        self.unresolved
    }

    /// Frames that may still become durable in this epoch.
    #[must_use]
    pub const fn pending(&self) -> usize {
        self.unresolved.saturating_sub(self.given_up)
    }
}
