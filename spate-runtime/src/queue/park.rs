//! How a lane thread sleeps and is woken: one park for every reason.
//!
//! A wake is a flag and an unpark; a park consumes the flag. A wake that comes before the park is
//! not lost, several wakes are one.
//!
//! Holds: INV-L1 (no wake is lost). Model: `loom_park` in `loom.rs`.

use crate::sync::{Arc, AtomicBool, AtomicU64, Mutex, Ordering, thread};

#[derive(Debug)]
struct Shared {
    notified: AtomicBool,
    thread: Mutex<Option<thread::Thread>>,
    wakes: AtomicU64,
}

/// Wakes the thread of its [`Parker`]. Cheap to clone; callable from any thread.
#[derive(Clone, Debug)]
pub struct Slot(Arc<Shared>);

impl Slot {
    /// Makes the next (or the current) park return.
    pub fn wake(&self) {
        if !self.0.notified.swap(true, Ordering::AcqRel) {
            self.0.wakes.fetch_add(1, Ordering::Relaxed);
            if let Some(thread) = &*self.0.thread.lock() {
                thread.unpark();
            }
        }
    }

    /// How many wakes there were that were not already pending.
    #[must_use]
    pub fn wakes(&self) -> u64 {
        self.0.wakes.load(Ordering::Relaxed)
    }

    /// Whether both wake the same thread.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The sleeping side, owned by one thread.
#[derive(Debug)]
pub struct Parker(Slot);

impl Parker {
    /// Makes a parker that no thread owns yet.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a parker is made on purpose")]
    pub fn new() -> Self {
        Self(Slot(Arc::new(Shared {
            notified: AtomicBool::new(false),
            thread: Mutex::new(None),
            wakes: AtomicU64::new(0),
        })))
    }

    /// What wakes it.
    #[must_use]
    pub fn slot(&self) -> Slot {
        self.0.clone()
    }

    /// Makes the calling thread the one that parks.
    pub fn own(&self) {
        *self.0.0.thread.lock() = Some(thread::current());
    }

    /// Takes the pending wake, if there is one, without waiting.
    pub fn take(&self) -> bool {
        self.0.0.notified.swap(false, Ordering::AcqRel)
    }

    /// Waits for a wake.
    pub fn park(&self) {
        while !self.take() {
            thread::park();
        }
    }
}
