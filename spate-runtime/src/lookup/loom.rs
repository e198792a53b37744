//! Every interleaving of a swap and of lanes that look.

use std::sync::Arc as StdArc;

use super::*;
use crate::clock::Clock;
use crate::sync::thread;

/// Holds INV-L6: a version is seen with its snapshot or a newer one, and never goes back.
#[test]
fn loom_a_reader_never_sees_half_a_swap() {
    ::loom::model(|| {
        let now = Clock::manual().now();
        let cell: StdArc<LookupCell<u32, u32>> = StdArc::default();
        cell.store([(0, 1)].into(), now);
        let mut reader = LookupReader::new(StdArc::clone(&cell));
        let lane = thread::spawn(move || {
            let mut seen = 1;
            for _ in 0..2 {
                let value = reader
                    .current()
                    .get(&0)
                    .copied()
                    .expect("every snapshot has it");
                assert!(value >= seen, "went back from {seen} to {value}");
                seen = value;
            }
        });
        cell.store([(0, 2)].into(), now);
        lane.join().expect("did not panic");
        let mut late = LookupReader::new(StdArc::clone(&cell));
        assert_eq!(late.current().get(&0), Some(&2));
    });
}
