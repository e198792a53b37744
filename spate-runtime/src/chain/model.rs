//! Naive twins of the port and of the pool. Test only.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use super::pool::Pool;
use super::port::{PARKED_SHARE, Port, SinkShared};
use crate::clock::Clock;
use crate::id::Offset;
use crate::queue::{Parker, ShardQueue};
use crate::sync::{Arc, Ordering};
use crate::testing::{Plain, TestRow, lane, sink};

/// What happens between two payloads, or in one.
#[derive(Clone, Debug)]
enum Act {
    /// A payload with rows of (shard hash, length).
    Payload(Vec<(usize, usize)>),
    /// The writer takes a frame of this shard.
    Take(usize),
    OfferParked,
    HandOver,
    /// Time passes, and what is as old as the linger is handed over.
    Linger,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let rows = prop::collection::vec((0..6usize, 8..60usize), 0..6);
    let act = prop_oneof![
        6 => rows.prop_map(Act::Payload),
        2 => (0..3usize).prop_map(Act::Take),
        2 => Just(Act::OfferParked),
        1 => Just(Act::HandOver),
        1 => Just(Act::Linger),
    ];
    prop::collection::vec(act, 0..60)
}

/// The numbers of the rows in a frame's bytes, told from the padding by their marks.
fn take(queue: &ShardQueue, lens: &BTreeMap<u64, usize>, into: &mut Vec<u64>) -> bool {
    let Some(frame) = queue.try_recv() else { return false };
    let (mut bytes, mut rows) = (frame.bytes(), Vec::new());
    while let Some((head, _)) = bytes.split_first_chunk() {
        let row = u64::from_le_bytes(*head);
        rows.push(row);
        bytes = &bytes[lens[&row]..];
    }
    assert_eq!(rows.len(), frame.rows() as usize);
    // A row's number is its payload's offset times 100 and its place in the payload.
    assert_eq!(rows.first().map(|row| row / 100), Some(frame.first().0), "the first offset");
    assert_eq!(rows.last().map(|row| row / 100), Some(frame.last().0), "the last offset");
    if let Some(before) = into.last() {
        assert!(before / 100 < frame.first().0, "a payload was split over two frames");
    }
    frame.resolve();
    into.extend(rows);
    true
}

proptest! {
    /// Holds INV-L2, INV-Q1, INV-Q2: every row of a whole payload arrives at its shard, once, in
    /// order and with the rows of its payload; a row of a payload that failed never does.
    #[test]
    fn the_port_agrees_with_lists(
        acts in acts(), shards in 1..4usize, fails in prop::option::of(0..4usize),
    ) {
        let pool = Pool::new(1 << 20);
        let shared = sink(shards, 2, 100, &pool);
        let (clock, lane, parker) = (Clock::manual(), lane(0, 1, 0), Parker::new());
        let mut port: Port<Plain> =
            Port::new(Arc::clone(&shared), Arc::clone(&lane), parker.slot(), clock.now());
        let mut expected: Vec<Vec<u64>> = vec![Vec::new(); shards];
        let mut taken = expected.clone();
        let (mut lens, mut offset) = (BTreeMap::new(), 0);
        for act in acts {
            port.core_mut().set_now(clock.now());
            match act {
                Act::Payload(rows) => {
                    for (place, (hash, len)) in rows.into_iter().enumerate() {
                        let of = offset * 100 + place as u64;
                        lens.insert(of, len);
                        expected[hash % shards].push(of);
                        port.push(&TestRow { of, len, bad: false }, Offset(offset), |_| hash as u64);
                    }
                    if port.attention() {
                        let yields = port.core_mut().end_of_payload();
                        prop_assert_eq!(yields, port.core_mut().is_overfull());
                    }
                    offset += 3;
                    lane.advance(Offset(offset - 3).next());
                }
                Act::Take(shard) => {
                    take(&shared.queues[shard % shards], &lens, &mut taken[shard % shards]);
                }
                Act::OfferParked => {
                    let before = shared.queues.iter().map(|queue| queue.len()).sum::<usize>();
                    let none_left = port.core_mut().offer_parked();
                    prop_assert_eq!(none_left, !port.core_mut().is_parked());
                    let room = shared.queues.iter().any(|queue| queue.len() < 2);
                    let after = shared.queues.iter().map(|queue| queue.len()).sum::<usize>();
                    prop_assert!(none_left || after > before || shards > 1 || !room, "none moved");
                }
                Act::HandOver => port.core_mut().hand_over_all(),
                Act::Linger => {
                    clock.advance(Duration::from_secs(1));
                    port.core_mut().set_now(clock.now());
                    port.core_mut().hand_over_due();
                    prop_assert_eq!(port.core_mut().due_at(), None);
                }
            }
        }
        let mut cut = 0;
        if let Some(place) = fails {
            // Rows of a payload that fails: some are taken, the last has no representation.
            for place in 0..place as u64 {
                lens.insert(offset * 100 + place, 8);
                let row = TestRow { of: offset * 100 + place, len: 8, bad: false };
                port.push(&row, Offset(offset), |_| place);
            }
            port.push(&TestRow { of: 0, len: 8, bad: true }, Offset(offset), |_| 0);
            prop_assert!(port.attention() && port.core_mut().fault().is_some());
            port.core_mut().cut(Offset(offset));
            cut = place as u64;
        }
        for _ in 0..200 {
            port.core_mut().hand_over_all();
            port.core_mut().offer_parked();
            for (queue, taken) in shared.queues.iter().zip(&mut taken) {
                while take(queue, &lens, taken) {}
            }
        }
        prop_assert_eq!(&taken, &expected);
        prop_assert!(!port.core_mut().is_parked());
        let count = expected.iter().map(Vec::len).sum::<usize>() as u64;
        let SinkShared { pushed, cut: was_cut, .. } = &*shared;
        prop_assert_eq!(pushed.load(Ordering::Relaxed), count);
        prop_assert_eq!(was_cut.load(Ordering::Relaxed), cut);
        prop_assert_eq!(lane.unresolved(), 0);
        prop_assert_eq!(pool.in_flight(), 0);
    }

    /// Holds INV-Q3: `in_flight` is the sum of what is out, whatever is taken and given back.
    #[test]
    fn the_pool_counts_what_is_out(acts in prop::collection::vec((any::<bool>(), 0..600_000usize), 0..80)) {
        let pool = Pool::new(1 << 20);
        let mut out: Vec<Vec<u8>> = Vec::new();
        for (takes, size) in acts {
            if takes || out.is_empty() {
                let buffer = pool.take(size);
                prop_assert!(buffer.is_empty() && buffer.capacity() >= size.max(1));
                out.push(buffer);
            } else {
                pool.give(out.swap_remove(size % out.len()));
            }
            let expected: usize = out.iter().map(Vec::capacity).sum();
            prop_assert_eq!(pool.in_flight(), expected);
            prop_assert_eq!(pool.is_over_budget(), expected > 1 << 20);
        }
    }
}

/// Pushes rows of 36 bytes to shard 0 until a frame is handed over; the memory it held at its first
/// row, and when it was full.
fn fill_a_frame(
    port: &mut Port<Plain>,
    shared: &SinkShared,
    pool: &Pool,
    at: &mut u64,
) -> [usize; 2] {
    let mut memory = [0; 2];
    loop {
        port.push(&TestRow { of: *at, len: 36, bad: false }, Offset(*at), |_| 0);
        *at += 1;
        memory = [if memory[0] == 0 { pool.in_flight() } else { memory[0] }, pool.in_flight()];
        if port.attention() {
            port.core_mut().end_of_payload();
            if let Some(frame) = shared.queues[0].try_recv() {
                frame.resolve();
                return memory;
            }
        }
    }
}

#[test]
fn a_busy_shard_fills_one_frame_after_the_other_without_growing() {
    const FRAME: usize = 64 << 10;
    let pool = Pool::new(1 << 20);
    let shared = sink(1, 4, FRAME, &pool);
    let (lane, parker, now) = (lane(0, 1, 0), Parker::new(), Clock::manual().now());
    let mut port: Port<Plain> = Port::new(Arc::clone(&shared), lane, parker.slot(), now);
    let mut at = 0;
    assert_eq!(fill_a_frame(&mut port, &shared, &pool, &mut at), [4 << 10, FRAME], "the first");
    assert_eq!(fill_a_frame(&mut port, &shared, &pool, &mut at), [FRAME; 2], "the second");
    assert!(
        at > 2 * (FRAME as u64 - FRAME as u64 / 32) / 36,
        "frames were handed over early: {at} rows"
    );

    // A lull: what is handed over holds a row, and so little is where the next one starts.
    port.push(&TestRow { of: at, len: 36, bad: false }, Offset(at), |_| 0);
    port.core_mut().hand_over_all();
    drop(shared.queues[0].try_recv());
    assert_eq!(fill_a_frame(&mut port, &shared, &pool, &mut at), [4 << 10, FRAME], "after a lull");
}

#[test]
fn a_frame_starts_small_where_the_budget_has_no_room() {
    const FRAME: usize = 64 << 10;
    let pool = Pool::new(2 * FRAME - 1);
    let shared = sink(1, 4, FRAME, &pool);
    let (lane, parker, now) = (lane(0, 1, 0), Parker::new(), Clock::manual().now());
    let mut port: Port<Plain> = Port::new(Arc::clone(&shared), lane, parker.slot(), now);
    let mut at = 0;
    fill_a_frame(&mut port, &shared, &pool, &mut at);
    let held = pool.take(FRAME);
    port.push(&TestRow { of: at, len: 36, bad: false }, Offset(at), |_| 0);
    assert_eq!(pool.in_flight(), FRAME + (4 << 10));
    assert!(!port.attention(), "within the budget");
    pool.give(held);
}

/// Holds INV-Q2: two parked frames of one shard go out in order as soon as there is room.
#[test]
fn parked_frames_of_one_shard_go_out_in_order() {
    let pool = Pool::new(1 << 20);
    let shared = sink(1, 1, 8, &pool);
    let (lane, parker) = (lane(0, 1, 0), Parker::new());
    let now = Clock::manual().now();
    let mut port: Port<Plain> = Port::new(Arc::clone(&shared), lane, parker.slot(), now);
    for at in 0..3 {
        port.push(&TestRow { of: at, len: 8, bad: false }, Offset(at), |_| 0);
        port.core_mut().end_of_payload();
    }
    for at in 0..3 {
        let frame = shared.queues[0].try_recv().expect("a frame");
        assert_eq!(frame.first(), Offset(at));
        assert_eq!(port.core_mut().offer_parked(), at > 0, "after {at}");
    }
}

/// Holds INV-L1: whoever found no room is woken by the memory that comes back.
#[test]
fn a_lane_that_waits_for_room_is_woken() {
    let pool = Pool::new(4096);
    let parker = Parker::new();
    let (one, two) = (pool.take(1), pool.take(1));
    assert!(pool.is_over_budget());
    assert!(!pool.wait_for_room(&parker.slot()));
    pool.give(one);
    assert!(parker.take(), "was woken");
    assert!(pool.wait_for_room(&parker.slot()));
    pool.give(two);
    assert_eq!(pool.in_flight(), 0);
}

/// Holds INV-L2: frames that have no whole payload are given up and hold nothing.
#[test]
fn a_frame_of_a_failed_payload_alone_is_given_up() {
    let pool = Pool::new(1 << 20);
    let shared = sink(2, 1, 100, &pool);
    let (lane, parker) = (lane(0, 1, 0), Parker::new());
    let now = Clock::manual().now();
    let mut port: Port<Plain> =
        Port::new(Arc::clone(&shared), Arc::clone(&lane), parker.slot(), now);
    port.push(&TestRow { of: 0, len: 8, bad: false }, Offset(0), |_| 0);
    lane.advance(Offset(0).next());
    port.push(&TestRow { of: 1, len: 8, bad: false }, Offset(1), |_| 1);
    port.push(&TestRow { of: 1, len: 8, bad: true }, Offset(1), |_| 0);
    port.core_mut().cut(Offset(1));
    port.core_mut().hand_over_all();
    assert_eq!(shared.queues[0].try_recv().map(|frame| frame.rows()), Some(1));
    assert!(shared.queues[1].try_recv().is_none());
    assert_eq!(lane.unresolved(), 1);
}

/// A shard whose queue is full holds up no row of another shard until a quarter of the budget is
/// parked, and no more than that and one frame ever is.
#[test]
fn rows_pass_a_full_shard_until_a_quarter_of_the_budget_is_parked() {
    const BUDGET: usize = 1 << 20;
    const FRAME: usize = 16 << 10;
    let pool = Pool::new(BUDGET);
    let shared = sink(2, 1, FRAME, &pool);
    let (lane, parker, now) = (lane(0, 1, 0), Parker::new(), Clock::manual().now());
    let mut port: Port<Plain> = Port::new(Arc::clone(&shared), lane, parker.slot(), now);
    let (mut at, mut passed) = (0, 0);
    let yields = loop {
        for shard in [0, 1] {
            port.push(&TestRow { of: at, len: 36, bad: false }, Offset(at), |_| shard);
        }
        at += 1;
        let yields = port.attention() && port.core_mut().end_of_payload();
        // Shard 0 is never written; shard 1 takes whatever comes.
        if let Some(frame) = shared.queues[1].try_recv() {
            passed += frame.rows();
        }
        if yields || at > 1_000_000 {
            break yields;
        }
    };
    assert!(yields && port.core_mut().is_overfull(), "a limit was reached");
    // In the queue: one frame. Parked: a quarter of the budget, and the frame that passed it.
    let held = pool.in_flight();
    assert_eq!(held, FRAME + BUDGET / PARKED_SHARE + FRAME, "bytes in flight");
    assert!(
        usize::try_from(passed).is_ok_and(|rows| rows * 36 > BUDGET / PARKED_SHARE / 10 * 9),
        "{passed} rows passed"
    );

    // The writer comes back: all of it goes out, in order.
    let mut rows = 0;
    while port.core_mut().is_parked() || !shared.queues[0].is_empty() {
        rows += shared.queues[0].try_recv().map_or(0, |frame| frame.rows());
        port.core_mut().offer_parked();
    }
    assert!(rows >= passed, "{rows} of shard 0, {passed} of shard 1");
    assert!(!port.core_mut().is_overfull() && !port.attention());
}
