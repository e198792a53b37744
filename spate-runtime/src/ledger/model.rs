//! A naive twin of the ledger: a set of offsets, asked again for every answer. Test only.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{FrameKey, Ledger};
use crate::id::{NextOffset, Offset, Watermark};
use crate::testing::lane;

/// Every frame that was opened and not resolved, and whether it was given up.
#[derive(Default)]
struct Twin {
    open: BTreeMap<FrameKey, (u64, bool)>,
}

impl Twin {
    fn watermark(&self, position: u64) -> u64 {
        let firsts = self.open.values().map(|(first, _)| *first);
        firsts.chain([position]).min().expect("the position is one")
    }
}

#[derive(Clone, Copy, Debug)]
enum Act {
    /// Opens a frame so far above the last one.
    Open(u64),
    /// Resolves the frame opened as the nth, for the first time or again.
    Resolve(usize),
    GiveUp(usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        3 => (0..4u64).prop_map(Act::Open),
        3 => (0..40usize).prop_map(Act::Resolve),
        1 => (0..40usize).prop_map(Act::GiveUp),
    ];
    prop::collection::vec(act, 0..80)
}

proptest! {
    /// Holds INV-W1 and INV-A1: the ledger says what a set of open frames would say.
    #[test]
    fn the_ledger_agrees_with_a_set(acts in acts(), ahead in 0..3u64) {
        let (mut ledger, mut twin) = (Ledger::default(), Twin::default());
        let (mut keys, mut newest) = (Vec::new(), 10);
        for act in acts {
            match act {
                Act::Open(above) => {
                    newest += above;
                    let key = ledger.open(Offset(newest));
                    prop_assert!(!keys.contains(&key), "{key:?} was given before");
                    twin.open.insert(key, (newest, false));
                    keys.push(key);
                }
                Act::Resolve(nth) => {
                    let Some(key) = keys.get(nth) else { continue };
                    // A frame that was given up is never written, so never resolved.
                    if twin.open.get(key).is_some_and(|(_, given_up)| *given_up) {
                        continue;
                    }
                    prop_assert_eq!(ledger.resolve(*key), twin.open.remove(key).is_some());
                }
                Act::GiveUp(nth) => {
                    let Some(frame) = keys.get(nth).and_then(|key| twin.open.get_mut(key)) else {
                        continue;
                    };
                    if !std::mem::replace(&mut frame.1, true) {
                        ledger.give_up(keys[nth]);
                    }
                }
            }
            for position in [newest, newest + ahead] {
                let expected = Watermark(twin.watermark(position));
                prop_assert_eq!(ledger.watermark(NextOffset(position)), expected);
            }
            prop_assert_eq!(ledger.unresolved(), twin.open.len());
            let pending = twin.open.values().filter(|(_, given_up)| !given_up).count();
            prop_assert_eq!(ledger.pending(), pending);
        }
    }
}

/// Holds INV-W1. R001: offset 12 fails while 13 and 14 succeed; the watermark waits for 12.
#[test]
fn r001_a_failed_frame_holds_the_watermark() {
    let mut ledger = Ledger::default();
    let keys: Vec<FrameKey> = (10..15).map(|at| ledger.open(Offset(at))).collect();
    let position = NextOffset(15);
    for index in [0, 1, 3, 4] {
        assert!(ledger.resolve(keys[index]));
    }
    assert_eq!(ledger.watermark(position), Watermark(12));
    assert!(ledger.resolve(keys[2]));
    assert_eq!(ledger.watermark(position), Watermark(15));
}

/// R002: the watermark is the next offset to read, not the last one read.
#[test]
fn r002_the_watermark_is_the_next_offset() {
    let lane = lane(0, 1, 0);
    let keys: Vec<FrameKey> = (0..42).map(|at| lane.open(Offset(at))).collect();
    lane.advance(Offset(41).next());
    keys.into_iter().for_each(|key| assert!(lane.resolve(key)));
    assert_eq!(lane.watermark(), Watermark(42));
}

/// R003: offsets that compaction removed hold nothing up.
#[test]
fn r003_gaps_do_not_hold_the_watermark() {
    let offsets = [100u64, 101, 105, 109];
    let mut ledger = Ledger::default();
    let keys: Vec<FrameKey> = offsets.map(|at| ledger.open(Offset(at))).into();
    let mut seen = Vec::new();
    for at in [109, 100, 105, 101] {
        let index = offsets.iter().position(|offset| *offset == at).unwrap();
        ledger.resolve(keys[index]);
        seen.push(ledger.watermark(NextOffset(110)).0);
    }
    assert_eq!(seen, [100, 101, 101, 110]);
    assert_eq!(ledger.unresolved(), 0);
}

/// R004: control records behind the last payload are passed when the source tells its position.
#[test]
fn r004_the_watermark_reaches_the_sources_position() {
    let lane = lane(0, 1, 20);
    let keys = [20, 22].map(|at| lane.open(Offset(at)));
    lane.advance(NextOffset(24));
    assert_eq!(lane.watermark(), Watermark(20));
    assert_eq!(keys.map(|key| lane.resolve(key)), [true; 2]);
    assert_eq!(lane.watermark(), Watermark(24));
}

/// Holds INV-W2. R006: payloads that a source gives again never move the watermark back.
#[test]
fn r006_a_payload_given_again_does_not_move_the_watermark_back() {
    let lane = lane(0, 1, 0);
    let key = lane.open(Offset(0));
    lane.advance(NextOffset(51));
    lane.resolve(key);
    assert_eq!(lane.watermark(), Watermark(51));
    let again = lane.open(Offset(30));
    assert_eq!(lane.watermark(), Watermark(51), "was committed already");
    lane.resolve(again);
    let next = lane.open(Offset(51));
    lane.advance(NextOffset(60));
    assert_eq!(lane.watermark(), Watermark(51));
    lane.resolve(next);
    assert_eq!(lane.watermark(), Watermark(60));
}

/// Holds INV-W1. R070: payloads without a row move the watermark at once.
#[test]
fn r070_payloads_without_rows_move_the_watermark() {
    let lane = lane(0, 1, 0);
    lane.advance(NextOffset(1000));
    assert_eq!(lane.watermark(), Watermark(1000));
}

/// Holds INV-A2. R019: an ack that comes after the epoch's end changes nothing.
#[test]
fn r019_an_ack_of_an_ended_epoch_is_void() {
    let lane = lane(0, 1, 0);
    let key = lane.open(Offset(0));
    lane.advance(NextOffset(10));
    lane.end();
    assert!(!lane.resolve(key));
    assert_eq!((lane.watermark(), lane.unresolved()), (Watermark(0), 1));
}

/// Holds INV-A1.
#[test]
#[should_panic(expected = "INV-A1: frame opened at 4")]
fn a_frame_below_an_open_one_is_a_bug() {
    let mut ledger = Ledger::default();
    ledger.open(Offset(5));
    ledger.open(Offset(4));
}

/// Holds INV-A1.
#[test]
#[should_panic(expected = "was never opened")]
fn a_frame_that_was_never_opened_cannot_be_resolved() {
    Ledger::default().resolve(FrameKey(0));
}
