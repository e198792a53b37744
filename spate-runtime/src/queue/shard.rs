//! The bounded queue of frames in front of one shard's writer.
//!
//! `offer` runs on lane threads and never waits; `poll_recv` runs on the I/O runtime.

use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};

use super::park::Slot;
use crate::chain::frame::Frame;
use crate::sync::{Arc, Mutex};

/// A frame that was not taken: it comes back whole (INV-Q2).
#[derive(Debug)]
pub enum Refused<T = Frame> {
    /// No room: the slot is woken when there is.
    Full(T),
    /// The writer has stopped.
    Closed(T),
}

#[derive(Debug)]
struct State<T> {
    items: VecDeque<T>,
    closed: bool,
    receiver: Option<Waker>,
    /// Lane threads that were refused since the last slot freed; each at most once.
    waiting: Vec<Slot>,
}

/// A bounded queue with one receiver.
#[derive(Debug)]
pub struct ShardQueue<T = Frame> {
    state: Mutex<State<T>>,
    capacity: usize,
}

impl<T> ShardQueue<T> {
    /// Makes a queue for `capacity` items, at least one.
    #[must_use]
    pub fn new(capacity: usize) -> Arc<Self> {
        let capacity = capacity.max(1);
        Arc::new(Self {
            state: Mutex::new(State {
                items: VecDeque::with_capacity(capacity),
                closed: false,
                receiver: None,
                waiting: Vec::new(),
            }),
            capacity,
        })
    }

    /// Hands an item over, without waiting.
    ///
    /// # Errors
    ///
    /// [`Refused::Full`] when there is no room: `slot` is woken by the next one that frees.
    /// [`Refused::Closed`] after the writer stopped. Both return the item (INV-Q2).
    pub fn offer(&self, item: T, slot: &Slot) -> Result<(), Refused<T>> {
        let mut state = self.state.lock();
        if state.closed {
            return Err(Refused::Closed(item));
        }
        if state.items.len() >= self.capacity {
            if !state.waiting.iter().any(|waiting| waiting.is_same(slot)) {
                state.waiting.push(slot.clone());
            }
            return Err(Refused::Full(item));
        }
        state.items.push_back(item);
        let receiver = state.receiver.take();
        drop(state);
        if let Some(receiver) = receiver {
            receiver.wake();
        }
        Ok(())
    }

    /// The next item; `None` once the queue is closed and empty. One receiver at a time.
    pub fn poll_recv(&self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let mut state = self.state.lock();
        if let Some(item) = state.items.pop_front() {
            let waiting = std::mem::take(&mut state.waiting);
            drop(state);
            for slot in waiting {
                slot.wake();
            }
            return Poll::Ready(Some(item));
        }
        if state.closed {
            return Poll::Ready(None);
        }
        state.receiver = Some(cx.waker().clone());
        Poll::Pending
    }

    /// The next item, waiting for it; cancel-safe.
    pub async fn recv(&self) -> Option<T> {
        std::future::poll_fn(|cx| self.poll_recv(cx)).await
    }

    /// The next item, if one is there.
    pub fn try_recv(&self) -> Option<T> {
        let mut state = self.state.lock();
        let item = state.items.pop_front()?;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        for slot in waiting {
            slot.wake();
        }
        Some(item)
    }

    /// Refuses every later item; what is queued can still be received.
    pub fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        let receiver = state.receiver.take();
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        if let Some(receiver) = receiver {
            receiver.wake();
        }
        for slot in waiting {
            slot.wake();
        }
    }

    /// Items queued now.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state.lock().items.len()
    }

    /// Whether nothing is queued now.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Items it has room for.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.capacity
    }
}
