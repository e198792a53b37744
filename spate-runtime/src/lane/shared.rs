//! What a lane shares with the writers and the controller: its ledger, its position, its end.
//!
//! Written by the lane thread (position, frames opened) and the writers (frames resolved), read by
//! the controller (watermark). The order matters: the lane registers a frame before its position
//! passes the frame's first offset, and the controller reads the position before it looks at the
//! frames. In the other order a frame opened in between would be passed over.
//!
//! Holds: INV-W1, INV-A2. Model: `loom.rs`.

use crate::id::{Epoch, NextOffset, Offset, Partition, Watermark};
use crate::ledger::{FrameKey, Incarnation, Ledger};
use crate::sync::{AtomicBool, AtomicU8, AtomicU64, Mutex, Ordering};

/// What a lane did in its last step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneState {
    /// Nothing was there to read.
    Idle,
    /// Payloads went through.
    Moving,
    /// It waits for a queue's slot or for the budget.
    Blocked,
}

/// The shared part of one lane: one partition in one epoch.
#[derive(Debug)]
pub struct LaneShared {
    /// Which partition the lane reads.
    pub partition: Partition,
    /// Which assignment of it.
    pub epoch: Epoch,
    /// Tells this life of the partition's log from an earlier one of the same name.
    pub incarnation: Incarnation,
    position: AtomicU64,
    ledger: Mutex<Ledger>,
    state: AtomicU8,
    closing: AtomicBool,
    void: AtomicBool,
}

impl LaneShared {
    /// Makes the shared part of a lane that starts at `start`.
    #[must_use]
    pub fn new(
        partition: Partition,
        epoch: Epoch,
        incarnation: Incarnation,
        start: NextOffset,
    ) -> Self {
        Self {
            partition,
            epoch,
            incarnation,
            position: AtomicU64::new(start.0),
            ledger: Mutex::default(),
            state: AtomicU8::new(0),
            closing: AtomicBool::new(false),
            void: AtomicBool::new(false),
        }
    }

    /// Registers a frame, before any payload at or after `first` is counted as read.
    ///
    /// A source that gives a payload again, below the position, holds the watermark at the
    /// position and never moves it back (INV-W2).
    pub fn open(&self, first: Offset) -> FrameKey {
        let position = self.position.load(Ordering::Relaxed);
        self.ledger.lock().open(Offset(first.0.max(position)))
    }

    /// Marks a frame durable; void (and false) once the epoch has ended (INV-A2).
    pub fn resolve(&self, key: FrameKey) -> bool {
        !self.is_void() && self.ledger.lock().resolve(key)
    }

    /// Says that every payload below `position` went through the chain and registered its frames.
    pub fn advance(&self, position: NextOffset) {
        debug_assert!(
            self.position.load(Ordering::Relaxed) <= position.0,
            "INV-W2: position of {} moved back to {position}",
            self.partition
        );
        self.position.store(position.0, Ordering::Release);
    }

    /// Everything below it was read and registered.
    #[must_use]
    pub fn position(&self) -> NextOffset {
        NextOffset(self.position.load(Ordering::Acquire))
    }

    /// The first offset not covered by the resolved prefix.
    #[must_use]
    pub fn watermark(&self) -> Watermark {
        let position = self.position();
        self.ledger.lock().watermark(position)
    }

    /// Says that a frame will not become durable in this epoch; it holds the watermark.
    pub fn give_up(&self, key: FrameKey) {
        self.ledger.lock().give_up(key);
    }

    /// Frames that hold the watermark.
    #[must_use]
    pub fn unresolved(&self) -> usize {
        self.ledger.lock().unresolved()
    }

    /// Frames that may still become durable in this epoch: what a revoke or a drain waits for.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.ledger.lock().pending()
    }

    /// Says what the lane did in its last step.
    pub fn set_state(&self, state: LaneState) {
        self.state.store(state as u8, Ordering::Relaxed);
    }

    /// What the lane did in its last step.
    #[must_use]
    pub fn state(&self) -> LaneState {
        match self.state.load(Ordering::Relaxed) {
            0 => LaneState::Idle,
            1 => LaneState::Moving,
            _ => LaneState::Blocked,
        }
    }

    /// Says that the lane hands over its last frames: they are sealed without waiting for others.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Release);
    }

    /// Whether the lane hands over its last frames.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Ends the epoch: acks that come later count for nothing, writes not on the wire are dropped.
    pub fn end(&self) {
        self.void.store(true, Ordering::Release);
    }

    /// Whether the epoch has ended.
    #[must_use]
    pub fn is_void(&self) -> bool {
        self.void.load(Ordering::Acquire)
    }
}
