//! The pool of frame memory and the budget it draws from.
//!
//! Shared by lane threads (take) and writers (give). A take never fails and never waits: the
//! budget is a line that back-pressure watches, not a wall a row could be lost at.
//!
//! ```text
//! class   0: 4 KiB   1: 16 KiB   2: 64 KiB   3: 256 KiB   4: 1 MiB   5: 4 MiB   above: exact
//! ```
//!
//! Holds: INV-Q3 (`in_flight` is the sum of the capacities handed out and not given back).

use crate::queue::Slot;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Mutex, Ordering, fence};

const CLASSES: [usize; 6] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20];

/// Frame memory by class, with the count of what is out.
#[derive(Debug)]
pub struct Pool {
    free: [Mutex<Vec<Vec<u8>>>; CLASSES.len()],
    /// Bytes kept free at most, per class.
    keep_bytes: usize,
    in_flight: AtomicUsize,
    budget: usize,
    /// Lane threads that wait for room; each at most once.
    waiting: Mutex<Vec<Slot>>,
    has_waiting: AtomicBool,
}

impl Pool {
    /// Makes an empty pool with a budget in bytes; keeps at most `budget / 4` free per class.
    #[must_use]
    pub fn new(budget: usize) -> Arc<Self> {
        Arc::new(Self {
            free: std::array::from_fn(|_| Mutex::new(Vec::new())),
            keep_bytes: budget / 4,
            in_flight: AtomicUsize::new(0),
            budget,
            waiting: Mutex::default(),
            has_waiting: AtomicBool::new(false),
        })
    }

    /// Takes a buffer with room for at least `room` bytes; empty, from the smallest class that fits.
    #[must_use]
    pub fn take(&self, room: usize) -> Vec<u8> {
        let buffer = match CLASSES.iter().position(|&size| size >= room) {
            Some(class) => {
                let free = self.free[class].lock().pop();
                free.unwrap_or_else(|| Vec::with_capacity(CLASSES[class]))
            }
            None => Vec::with_capacity(room),
        };
        self.in_flight
            .fetch_add(buffer.capacity(), Ordering::Relaxed);
        buffer
    }

    /// Takes a buffer with room for `room` bytes, and for `wish` bytes while the budget has them.
    #[must_use]
    pub fn take_within_budget(&self, room: usize, wish: usize) -> Vec<u8> {
        let class = CLASSES.into_iter().find(|&size| size >= wish);
        let fits = self.in_flight().saturating_add(class.unwrap_or(wish)) <= self.budget;
        self.take(if fits { room.max(wish) } else { room })
    }

    /// Takes a buffer back, to be handed out again or freed.
    pub fn give(&self, mut buffer: Vec<u8>) {
        let capacity = buffer.capacity();
        if capacity == 0 {
            return;
        }
        self.in_flight.fetch_sub(capacity, Ordering::Relaxed);
        // Pairs with the fence in `wait_for_room`: one of both sees the other.
        fence(Ordering::SeqCst);
        if self.has_waiting.load(Ordering::Relaxed) && !self.is_over_budget() {
            self.wake_waiting();
        }
        let Some(class) = CLASSES.iter().position(|&size| size == capacity) else { return };
        buffer.clear();
        let mut free = self.free[class].lock();
        if (free.len() + 1) * capacity <= self.keep_bytes.max(capacity) {
            free.push(buffer);
        }
    }

    /// Asks for a wake when the budget has room again; whether it has room already.
    pub fn wait_for_room(&self, slot: &Slot) -> bool {
        let mut waiting = self.waiting.lock();
        if !waiting.iter().any(|known| known.is_same(slot)) {
            waiting.push(slot.clone());
        }
        // The flag before the look: a `give` in between sees the flag, or we see its bytes.
        self.has_waiting.store(true, Ordering::Relaxed);
        drop(waiting);
        fence(Ordering::SeqCst);
        !self.is_over_budget()
    }

    #[cold]
    fn wake_waiting(&self) {
        let waiting = {
            let mut waiting = self.waiting.lock();
            self.has_waiting.store(false, Ordering::Relaxed);
            std::mem::take(&mut *waiting)
        };
        for slot in waiting {
            slot.wake();
        }
    }

    /// Bytes of capacity handed out and not given back.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// The budget in bytes.
    #[must_use]
    pub const fn budget(&self) -> usize {
        self.budget
    }

    /// Whether more is in flight than the budget allows: lanes stop filling, batchers seal.
    #[must_use]
    pub fn is_over_budget(&self) -> bool {
        self.in_flight() > self.budget
    }
}
