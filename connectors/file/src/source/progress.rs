//! How many files were read to their end: what lanes tell the control plane.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

#[derive(Debug, Default)]
pub(super) struct Progress {
    ended: Mutex<usize>,
    changed: Condvar,
}

impl Progress {
    /// A lane gave out the last line of its file.
    pub(super) fn file_ended(&self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }

    /// Waits at most `wait` until more than `known` files have ended; how many have.
    pub(super) fn wait_past(&self, known: usize, wait: Duration) -> usize {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let (ended, _) = self
            .changed
            .wait_timeout_while(ended, wait, |ended| *ended <= known)
            .unwrap_or_else(PoisonError::into_inner);
        *ended
    }
}
