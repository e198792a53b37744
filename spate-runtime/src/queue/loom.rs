//! Loom models of the park and of the hand-over. Built with `--cfg loom` only; see `loom` at the root.

use std::sync::Arc as StdArc;
use std::task::{Context, Poll, Wake, Waker};

use loom::thread;

use super::{Parker, Refused, ShardQueue, Slot};
use crate::sync::{Arc, AtomicUsize, Ordering};

/// A task's waker that wakes a parked thread.
struct Wakes(Slot);

impl Wake for Wakes {
    fn wake(self: StdArc<Self>) {
        self.0.wake();
    }
}

/// Receives until the queue is closed and empty, parking while it is empty.
fn receive(queue: &ShardQueue<u32>, count: usize) -> Vec<u32> {
    let parker = Parker::new();
    parker.own();
    let waker = Waker::from(StdArc::new(Wakes(parker.slot())));
    let mut cx = Context::from_waker(&waker);
    let mut items = Vec::new();
    while items.len() < count {
        match queue.poll_recv(&mut cx) {
            Poll::Ready(Some(item)) => items.push(item),
            Poll::Ready(None) => break,
            Poll::Pending => parker.park(),
        }
    }
    items
}

/// Holds INV-L1: a wake is never lost, whether it comes before the park, during it, or before the
/// thread owns its parker; several are one.
#[test]
fn loom_park() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let told = Arc::new(AtomicUsize::new(0));
        let parker = Parker::new();
        let wakers: Vec<_> = (0..2)
            .map(|_| {
                let (slot, told) = (parker.slot(), Arc::clone(&told));
                thread::spawn(move || {
                    told.fetch_add(1, Ordering::Relaxed);
                    slot.wake();
                })
            })
            .collect();
        // Loom lets no thread join that may still be unparked.
        wakers.into_iter().for_each(drop);
        parker.own();
        while told.load(Ordering::Relaxed) < 2 {
            parker.park();
        }
    });
}

/// Holds INV-Q2 and INV-L1: every item arrives once, in order, through a queue that is too small,
/// and whoever was refused is woken by the slot that frees.
#[test]
fn loom_hand_over() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let queue: Arc<ShardQueue<u32>> = ShardQueue::new(1);
        let offering = Arc::clone(&queue);
        let lane = thread::spawn(move || {
            let parker = Parker::new();
            parker.own();
            for item in 0..3 {
                let mut item = item;
                while let Err(Refused::Full(back)) = offering.offer(item, &parker.slot()) {
                    item = back;
                    parker.park();
                }
            }
        });
        let writer = thread::spawn(move || receive(&queue, 3));
        assert_eq!(writer.join().expect("did not panic"), [0, 1, 2]);
        lane.join().expect("did not panic");
    });
}

/// Holds INV-Q2: a queue closed at any moment gives back what it did not take, and wakes its lane.
#[test]
fn loom_close() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let queue: Arc<ShardQueue<u32>> = ShardQueue::new(1);
        let (offering, closing) = (Arc::clone(&queue), Arc::clone(&queue));
        let lane = thread::spawn(move || {
            let parker = Parker::new();
            parker.own();
            let mut back = Vec::new();
            for item in 0..2 {
                let mut item = item;
                loop {
                    match offering.offer(item, &parker.slot()) {
                        Ok(()) => break,
                        Err(Refused::Full(refused)) => {
                            item = refused;
                            parker.park();
                        }
                        Err(Refused::Closed(refused)) => {
                            back.push(refused);
                            break;
                        }
                    }
                }
            }
            back
        });
        let closer = thread::spawn(move || closing.close());
        let receiving = Arc::clone(&queue);
        let writer = thread::spawn(move || receive(&receiving, usize::MAX));
        let mut items = writer.join().expect("did not panic");
        items.extend(lane.join().expect("did not panic"));
        closer.join().expect("did not panic");
        // What a lane offered between the last receive and the close is still there.
        items.extend(std::iter::from_fn(|| queue.try_recv()));
        items.sort_unstable();
        assert_eq!(items, [0, 1]);
    });
}
