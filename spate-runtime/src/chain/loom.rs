//! Loom model of the frame memory. Built with `--cfg loom` only; see `loom` at the root.

use loom::thread;

use super::pool::Pool;
use crate::queue::Parker;
use crate::sync::Arc;

/// Holds INV-L1: a lane that found the budget used up is woken when memory comes back, however the
/// look and the giving back fall; and what is in flight is counted right (INV-Q3).
#[test]
fn loom_room() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let pool = Pool::new(4096);
        let givers: Vec<_> = (0..2)
            .map(|_| {
                let (pool, buffer) = (Arc::clone(&pool), pool.take(1));
                thread::spawn(move || pool.give(buffer))
            })
            .collect();
        let waits = {
            let pool = Arc::clone(&pool);
            thread::spawn(move || {
                let parker = Parker::new();
                parker.own();
                while !pool.wait_for_room(&parker.slot()) {
                    parker.park();
                }
            })
        };
        waits.join().expect("did not panic");
        givers
            .into_iter()
            .for_each(|giver| giver.join().expect("did not panic"));
        assert_eq!(pool.in_flight(), 0);
    });
}
