//! Loom model of what a lane shares. Built with `--cfg loom` only; see `loom` at the root.

use loom::thread;

use crate::id::{NextOffset, Offset, Watermark};
use crate::sync::{Arc, AtomicBool, Mutex, Ordering};
use crate::testing::lane;

const FRAMES: usize = 2;

/// Holds INV-W1: whatever the controller reads at any moment, every frame below the watermark is
/// durable, and the next watermark is not below it (INV-W2).
#[test]
fn loom_the_watermark_passes_only_what_is_durable() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let shared = lane(0, 1, 0);
        let durable: Arc<[AtomicBool; FRAMES]> =
            Arc::new([(); FRAMES].map(|()| AtomicBool::new(false)));
        let queue = Arc::new(Mutex::new(Vec::new()));
        let reads = {
            let (shared, queue) = (Arc::clone(&shared), Arc::clone(&queue));
            thread::spawn(move || {
                for at in 0..FRAMES {
                    let key = shared.open(Offset(at as u64));
                    queue.lock().push((at, key));
                    shared.advance(NextOffset(at as u64 + 1));
                }
            })
        };
        let writes = {
            let (shared, queue) = (Arc::clone(&shared), Arc::clone(&queue));
            let durable = Arc::clone(&durable);
            thread::spawn(move || {
                while let Some((at, key)) = queue.lock().pop() {
                    durable[at].store(true, Ordering::Relaxed);
                    assert!(shared.resolve(key));
                }
            })
        };
        let mut last = Watermark(0);
        for _ in 0..2 {
            let watermark = shared.watermark();
            assert!(last <= watermark, "{watermark} is below {last}");
            for (at, durable) in durable.iter().enumerate() {
                let passed = (at as u64) < watermark.0;
                assert!(!passed || durable.load(Ordering::Relaxed), "{watermark} passed {at}");
            }
            last = watermark;
        }
        reads.join().expect("did not panic");
        writes.join().expect("did not panic");
    });
}

/// Holds INV-A2: once the end of an epoch was seen, no ack counts.
#[test]
fn loom_an_ended_epoch_takes_no_ack() {
    loom::model(|| {
        let shared = lane(0, 1, 0);
        let key = shared.open(Offset(0));
        let ends = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.end())
        };
        let resolved = shared.resolve(key);
        ends.join().expect("did not panic");
        assert!(!shared.resolve(key), "void, or resolved before");
        assert_eq!(shared.unresolved(), usize::from(!resolved));
    });
}
