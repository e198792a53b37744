//! W5: acknowledgements. Register frames, resolve them out of order, advance the watermark.

use spate_runtime::id::{NextOffset, Offset};
use spate_runtime::ledger::Ledger;

use crate::workload::{Ratio, Side, Sides, Workload};

/// This workload.
pub const WORKLOAD: Workload = Workload {
    name: "W5",
    what: "acknowledgements: register, resolve out of order, advance",
    records: 3_000_000,
    sides,
};

fn sides(frames: u64) -> Sides {
    let sides =
        vec![Side::new("spate", move |_| spate(frames)), Side::new("twin", move |_| twin(frames))];
    Sides::new(sides, vec![Ratio::at_most("spate", "twin", 2.0)])
}

/// Frames open at a time.
const OPEN: u64 = 16;

/// The ledger; returns the sum of all watermarks, so that nothing is optimised away.
#[must_use]
pub fn spate(frames: u64) -> u64 {
    let mut ledger = Ledger::default();
    let mut keys = Vec::with_capacity(16);
    let mut sum = 0u64;
    let mut offset = 0;
    while offset < frames {
        keys.clear();
        for _ in 0..OPEN {
            keys.push(ledger.open(Offset(offset)));
            offset += 1;
        }
        // Odd ones first, then the even ones: the prefix moves in jumps.
        for half in [1, 0] {
            for key in keys.iter().skip(half).step_by(2) {
                ledger.resolve(*key);
                sum = sum.wrapping_add(ledger.watermark(NextOffset(offset)).0);
            }
        }
    }
    sum
}

/// The twin: a ring of flags and a counter.
#[must_use]
pub fn twin(frames: u64) -> u64 {
    let mut ring: std::collections::VecDeque<bool> = std::collections::VecDeque::new();
    let mut base = 0u64;
    let mut sum = 0u64;
    let mut offset = 0u64;
    let mut keys = Vec::with_capacity(16);
    while offset < frames {
        keys.clear();
        for _ in 0..OPEN {
            ring.push_back(false);
            keys.push(offset);
            offset += 1;
        }
        for half in [1, 0] {
            for key in keys.iter().skip(half).step_by(2) {
                ring[usize::try_from(key - base).unwrap_or(0)] = true;
                while ring.front() == Some(&true) {
                    ring.pop_front();
                    base += 1;
                }
                sum = sum.wrapping_add(base);
            }
        }
    }
    sum
}
