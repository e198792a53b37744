//! The pool of frame memory and the budget it draws from.
//!
//! Shared by lane threads (take) and writers (give). A take never fails and never waits: the
//! budget is a line that back-pressure watches, not a wall a row could be lost at.
//!
//! ```text
//! class   0: 4 KiB   1: 16 KiB   2: 64 KiB   3: 256 KiB   4: 1 MiB   5: 4 MiB   above: exact
//! ```
//!
//! What comes back is kept for the next taker as far as the budget has room beside what is out, and
//! goes before anything new is asked of the system: what the pool holds in all never passes the
//! budget, or what is out where that is more.
//!
//! Holds: INV-Q3 (`in_flight` is the sum of the capacities handed out and not given back).

use crate::queue::Slot;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Mutex, Ordering, fence};

const CLASSES: [usize; 6] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20];

/// Frame memory by class, with the count of what is out.
#[derive(Debug)]
pub struct Pool {
    free: [Mutex<Vec<Vec<u8>>>; CLASSES.len()],
    /// Bytes in the free lists.
    free_bytes: AtomicUsize,
    in_flight: AtomicUsize,
    /// The most that ever was in flight.
    peak: AtomicUsize,
    budget: usize,
    /// Lane threads that wait for room; each at most once.
    waiting: Mutex<Vec<Slot>>,
    has_waiting: AtomicBool,
}

impl Pool {
    /// Makes an empty pool with a budget in bytes.
    #[must_use]
    pub fn new(budget: usize) -> Arc<Self> {
        Arc::new(Self {
            free: std::array::from_fn(|_| Mutex::new(Vec::new())),
            free_bytes: AtomicUsize::new(0),
            in_flight: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            budget,
            waiting: Mutex::default(),
            has_waiting: AtomicBool::new(false),
        })
    }

    /// Takes a buffer with room for at least `room` bytes; empty, from the smallest class that fits.
    #[must_use]
    pub fn take(&self, room: usize) -> Vec<u8> {
        let class = CLASSES.iter().position(|&size| size >= room);
        let buffer = class.and_then(|class| self.free[class].lock().pop());
        let buffer = match buffer {
            Some(buffer) => {
                self.free_bytes
                    .fetch_sub(buffer.capacity(), Ordering::Relaxed);
                buffer
            }
            None => {
                let room = class.map_or(room, |class| CLASSES[class]);
                self.make_room(room);
                Vec::with_capacity(room)
            }
        };
        let capacity = buffer.capacity();
        let in_flight = self.in_flight.fetch_add(capacity, Ordering::Relaxed) + capacity;
        // A load first: the peak moves seldom once a pipeline runs.
        if in_flight > self.peak.load(Ordering::Relaxed) {
            self.peak.fetch_max(in_flight, Ordering::Relaxed);
        }
        buffer
    }

    /// Frees what is kept, largest first, until `more` bytes fit in the budget beside the rest.
    #[cold]
    fn make_room(&self, more: usize) {
        for free in self.free.iter().rev() {
            while self.held() + more > self.budget {
                let Some(buffer) = free.lock().pop() else { break };
                self.free_bytes
                    .fetch_sub(buffer.capacity(), Ordering::Relaxed);
            }
        }
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
        if self.held() + capacity <= self.budget {
            buffer.clear();
            // Counted before it can be taken: the count never falls below 0.
            self.free_bytes.fetch_add(capacity, Ordering::Relaxed);
            self.free[class].lock().push(buffer);
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

    /// The most that ever was in flight.
    #[must_use]
    pub fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    /// Bytes in flight and bytes kept for the next taker.
    #[must_use]
    pub fn held(&self) -> usize {
        self.in_flight() + self.free_bytes.load(Ordering::Relaxed)
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const BUDGET: usize = 1 << 20;

    #[test]
    fn what_comes_back_is_handed_out_again() {
        let pool = Pool::new(BUDGET);
        let buffer = pool.take(5_000);
        let at = buffer.as_ptr();
        pool.give(buffer);
        assert_eq!((pool.in_flight(), pool.held(), pool.peak()), (0, 16 << 10, 16 << 10));
        let again = pool.take(16 << 10);
        assert_eq!(again.as_ptr(), at);
        assert_eq!(pool.held(), 16 << 10);
    }

    proptest::proptest! {
        /// Whatever is taken and given back: no more is held than the budget, or than is out.
        #[test]
        fn no_more_is_held_than_the_budget_or_than_is_out(
            steps in proptest::collection::vec((proptest::bool::ANY, 1..6_000_000usize), 1..200),
        ) {
            let pool = Pool::new(BUDGET);
            let mut out = std::collections::VecDeque::new();
            for (gives, room) in steps {
                match out.pop_front() {
                    Some(buffer) if gives => pool.give(buffer),
                    back => {
                        out.extend(back);
                        // Most takes are small, as frames are.
                        out.push_back(pool.take(if room % 8 == 0 { room } else { room % 70_000 }));
                    }
                }
                let capacities: usize = out.iter().map(Vec::capacity).sum();
                proptest::prop_assert_eq!(pool.in_flight(), capacities);
                proptest::prop_assert!(pool.held() <= BUDGET.max(capacities), "{}", pool.held());
                proptest::prop_assert!(pool.peak() >= capacities);
            }
        }
    }
}
