//! What a partition's queue calls when it stops being empty.
//!
//! ```text
//! librdkafka thread:  queue was empty, something arrives -> wake()      (queue lock held)
//! lane thread:        lane made -> set(epoch, waker)     lane dropped -> clear(epoch)
//! ```
//!
//! One cell per partition for the life of the client; lanes come and go in it. A lane that is
//! dropped late clears only what is its own, so it never silences its successor.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use spate_runtime::lane::source::LaneWaker;

/// The place where a partition's current lane leaves its waker.
#[derive(Default)]
pub(crate) struct WakerCell {
    current: Mutex<Option<(u64, LaneWaker)>>,
}

impl fmt::Debug for WakerCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WakerCell")
    }
}

impl WakerCell {
    /// Makes `waker` the one that is called; lanes of later epochs win over earlier ones.
    pub(crate) fn set(&self, epoch: u64, waker: LaneWaker) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref().is_none_or(|(known, _)| *known <= epoch) {
            let before = current.replace((epoch, waker));
            drop(current);
            drop(before);
        }
    }

    /// Forgets the waker of `epoch`, if it is still the current one.
    pub(crate) fn clear(&self, epoch: u64) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref().is_some_and(|(known, _)| *known == epoch) {
            let before = current.take();
            drop(current);
            drop(before);
        }
    }

    /// Calls the current waker. Runs under a lock of librdkafka's: calls nothing of it.
    pub(crate) fn wake(&self) {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, waker)) = &*current {
            waker();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn counter() -> (Arc<AtomicUsize>, LaneWaker) {
        let count = Arc::new(AtomicUsize::new(0));
        let inner = Arc::clone(&count);
        (
            count,
            Arc::new(move || {
                inner.fetch_add(1, Ordering::Relaxed);
            }),
        )
    }

    /// R018: the end of an old lane does not take the wake-up of its successor.
    #[test]
    fn a_lane_dropped_late_does_not_silence_its_successor() {
        let cell = WakerCell::default();
        let (old, old_waker) = counter();
        let (new, new_waker) = counter();
        cell.set(1, old_waker);
        cell.set(2, new_waker);

        cell.clear(1);
        cell.wake();

        assert_eq!(old.load(Ordering::Relaxed), 0);
        assert_eq!(new.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_cleared_cell_wakes_nobody() {
        let cell = WakerCell::default();
        let (count, waker) = counter();
        cell.set(1, waker);
        cell.clear(1);
        cell.wake();
        assert_eq!(count.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn an_old_lane_cannot_take_the_place_back() {
        let cell = WakerCell::default();
        let (old, old_waker) = counter();
        let (new, new_waker) = counter();
        cell.set(2, new_waker);
        cell.set(1, old_waker);
        cell.wake();
        assert_eq!((old.load(Ordering::Relaxed), new.load(Ordering::Relaxed)), (0, 1));
    }
}
