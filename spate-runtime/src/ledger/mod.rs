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

/// Which frames of a lane are not durable yet.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Key of the frame at the front of `open`.
    base: u64,
    /// First offsets in order of opening; `None` once resolved. The front is always unresolved.
    open: VecDeque<Option<Offset>>,
    unresolved: usize,
    given_up: usize,
}

impl Ledger {
    /// Registers a frame whose first row comes from `first`.
    ///
    /// # Panics
    ///
    /// INV-A1: if `first` lies below the first offset of an open frame.
    pub fn open(&mut self, first: Offset) -> FrameKey {
        let newest = self.open.iter().rev().find_map(|slot| *slot);
        assert!(newest <= Some(first), "INV-A1: frame opened at {first}, below {newest:?}");
        self.open.push_back(Some(first));
        self.unresolved += 1;
        FrameKey(self.base + self.open.len() as u64 - 1)
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
        if slot.take().is_none() {
            return false;
        }
        self.unresolved -= 1;
        while let Some(None) = self.open.front() {
            self.open.pop_front();
            self.base += 1;
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
            Some(Some(first)) => Watermark(first.0.min(position.0)),
            _ => Watermark(position.0),
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
        if index.is_some_and(|index| self.open.get(index).is_some_and(Option::is_some)) {
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
