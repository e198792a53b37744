//! Naive twins of batcher, writer, retry and breaker. Test only.

use std::collections::BTreeMap;
use std::sync::Mutex as StdMutex;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::attempt::{Attempts, Next};
use super::batcher::{Added, BatchItem, Batcher, Limits};
use super::replica::{Breaker, Replicas};
use super::retry::{Backoff, Jitter};
use super::token::token;
use super::traits::{Outcome, WriteError};
use super::writer::{WAITING_MAX, WriterCore};
use crate::chain::frame::Frame;
use crate::chain::pool::Pool;
use crate::clock::Clock;
use crate::error::Class;
use crate::id::{Epoch, NextOffset, Partition, ReplicaId};
use crate::lane::shared::LaneShared;
use crate::ledger::Incarnation;
use crate::sync::Arc;
use crate::testing::{frame, lane};

const MILLI: Duration = Duration::from_millis(1);

/// A frame as the batcher sees it, numbered in order of arrival; its lane's state is shared.
#[derive(Clone, Debug)]
struct Item {
    number: usize,
    group: u64,
    rows: u64,
    bytes: u64,
    opened_at: Instant,
    lanes: Arc<StdMutex<Lanes>>,
}

/// Which groups are closing, and which are void.
#[derive(Debug, Default)]
struct Lanes {
    closing: Vec<u64>,
    void: Vec<u64>,
}

impl BatchItem for Item {
    fn group(&self) -> u64 {
        self.group
    }
    fn rows(&self) -> u64 {
        self.rows
    }
    fn bytes(&self) -> u64 {
        self.bytes
    }
    fn opened_at(&self) -> Instant {
        self.opened_at
    }
    fn is_closing(&self) -> bool {
        self.lanes
            .lock()
            .expect("no panic holds it")
            .closing
            .contains(&self.group)
    }
    fn is_void(&self) -> bool {
        self.lanes
            .lock()
            .expect("no panic holds it")
            .void
            .contains(&self.group)
    }
}

#[derive(Clone, Copy, Debug)]
enum Act {
    Frame { group: u64, rows: u64, bytes: u64 },
    Pass(u64),
    Close(u64),
    End(u64),
    Gate,
    Written(usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        8 => (0..3u64, 1..5u64, 1..40u64)
            .prop_map(|(group, rows, bytes)| Act::Frame { group, rows, bytes }),
        3 => (0..30u64).prop_map(Act::Pass),
        1 => (0..3u64).prop_map(Act::Close),
        1 => (0..3u64).prop_map(Act::End),
        1 => Just(Act::Gate),
        4 => (0..4usize).prop_map(Act::Written),
    ];
    prop::collection::vec(act, 0..80)
}

/// Frames that wait, as one list; every answer is counted anew.
struct Twin {
    limits: Limits,
    items: Vec<Item>,
    /// Frames whose lane was known to be closing: they linger for nothing.
    hastened: Vec<usize>,
}

impl Twin {
    fn of(&self, group: u64) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.group == group)
    }

    fn is_full(&self, group: u64) -> bool {
        self.of(group).map(Item::rows).sum::<u64>() >= self.limits.rows
            || self.of(group).map(Item::bytes).sum::<u64>() >= self.limits.bytes
    }

    fn due(&self, group: u64) -> Option<Instant> {
        let linger = |item: &Item| {
            let hastened = self.hastened.contains(&item.number);
            if hastened { Duration::ZERO } else { self.limits.linger }
        };
        self.of(group)
            .map(|item| item.opened_at + linger(item))
            .min()
    }

    fn seal(&mut self, group: u64) -> Vec<usize> {
        let sealed = self.of(group).map(|item| item.number).collect();
        self.items.retain(|item| item.group != group);
        sealed
    }
}

fn numbers(items: &[Item]) -> Vec<usize> {
    items.iter().map(|item| item.number).collect()
}

proptest! {
    /// Holds INV-S1: the batcher seals what a list of frames would say, whole groups in order.
    #[test]
    fn the_batcher_agrees_with_a_list(acts in acts(), rows in 1..12u64, bytes in 10..100u64) {
        let limits = Limits { rows, bytes, linger: 20 * MILLI };
        let clock = Clock::manual();
        let lanes = Arc::<StdMutex<Lanes>>::default();
        let mut batcher = Batcher::new(limits);
        let mut twin = Twin { limits, items: Vec::new(), hastened: Vec::new() };
        for (number, act) in acts.into_iter().enumerate() {
            let now = clock.now();
            match act {
                Act::Frame { group, rows, bytes } => {
                    let lanes = Arc::clone(&lanes);
                    let item = Item { number, group, rows, bytes, opened_at: now, lanes };
                    let (void, closing) = (item.is_void(), item.is_closing());
                    let added = batcher.add(item.clone());
                    if void {
                        prop_assert!(matches!(added, Added::Void(item) if item.number == number));
                        continue;
                    }
                    twin.items.push(item);
                    if closing {
                        twin.hastened.push(number);
                    }
                    if twin.is_full(group) {
                        let Added::Sealed(sealed) = added else { panic!("not sealed: {added:?}") };
                        prop_assert_eq!(numbers(&sealed), twin.seal(group));
                    } else {
                        prop_assert!(matches!(added, Added::Waits));
                    }
                }
                Act::Pass(millis) => clock.advance(u32::try_from(millis).unwrap() * MILLI),
                Act::Close(group) => lanes.lock().unwrap().closing.push(group),
                Act::End(group) => {
                    lanes.lock().unwrap().void.push(group);
                    let mut void = numbers(&batcher.take_void());
                    void.sort_unstable();
                    let (expected, left): (Vec<Item>, Vec<Item>) =
                        std::mem::take(&mut twin.items).into_iter().partition(Item::is_void);
                    twin.items = left;
                    prop_assert_eq!(void, numbers(&expected));
                }
                Act::Gate => {
                    let sealed: Vec<_> = batcher.seal_all().iter().map(|b| numbers(b)).collect();
                    let expected: Vec<_> =
                        (0..3).map(|group| twin.seal(group)).filter(|b| !b.is_empty()).collect();
                    prop_assert_eq!(sealed, expected);
                }
                Act::Written(_) => {
                    batcher.hasten_closing();
                    let closing = |group| twin.of(group).any(Item::is_closing);
                    let hastened: Vec<usize> = twin
                        .items
                        .iter()
                        .filter(|item| closing(item.group))
                        .map(|item| item.number)
                        .collect();
                    twin.hastened.extend(hastened);
                }
            }
            let now = clock.now();
            // One group in turn may not be sealed, as if its write were on the wire.
            let busy = number as u64 % 4;
            let may = |group| group != busy;
            let due = (0..3).filter(|group| may(*group)).filter_map(|group| twin.due(group)).min();
            prop_assert_eq!(batcher.due_at(may), due);
            let sealed: Vec<_> = batcher.seal_due(now, may).iter().map(|b| numbers(b)).collect();
            let is_due = |group: &u64| may(*group) && twin.due(*group).is_some_and(|at| at <= now);
            let due: Vec<u64> = (0..3).filter(is_due).collect();
            let expected: Vec<_> = due.into_iter().map(|group| twin.seal(group)).collect();
            prop_assert_eq!(sealed, expected);
            prop_assert_eq!(batcher.rows(), twin.items.iter().map(Item::rows).sum::<u64>());
            prop_assert_eq!(batcher.is_empty(), twin.items.is_empty());
        }
    }

    /// Holds INV-S3 and INV-S1: every frame is written once or void, a group's frames in the order
    /// they came, never more than `max_inflight` batches at a time, and no batch mixes groups.
    #[test]
    fn the_writer_keeps_the_order_of_every_group(
        acts in acts(), rows in 1..12u64, inflight in 1..3usize,
    ) {
        let limits = Limits { rows, bytes: 1000, linger: 20 * MILLI };
        let clock = Clock::manual();
        let lanes = Arc::<StdMutex<Lanes>>::default();
        let mut core = WriterCore::new(limits, inflight);
        let mut started: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let (mut writing, mut void, mut given): (Vec<u64>, Vec<Item>, Vec<usize>) = Default::default();
        let mut number = 0;
        for act in acts {
            match act {
                Act::Frame { group, rows, bytes } => {
                    if core.wants_frames() {
                        let (opened_at, lanes) = (clock.now(), Arc::clone(&lanes));
                        core.on_frame(Item { number, group, rows, bytes, opened_at, lanes });
                        given.push(number);
                        number += 1;
                    }
                }
                Act::Pass(millis) => clock.advance(u32::try_from(millis).unwrap() * MILLI),
                Act::Close(group) => lanes.lock().unwrap().closing.push(group),
                Act::End(group) => lanes.lock().unwrap().void.push(group),
                Act::Gate => core.on_gated(),
                Act::Written(nth) => {
                    if nth < writing.len() {
                        core.on_written(writing.remove(nth));
                    }
                }
            }
            if matches!(act, Act::Close(_) | Act::End(_)) {
                core.on_lanes_changed();
            }
            core.on_time(clock.now());
            while let Some((group, frames)) = core.start_next() {
                prop_assert!(!frames.is_empty() && frames.iter().all(|item| item.group == group));
                started.entry(group).or_default().extend(numbers(&frames));
                writing.push(group);
                let of_group = writing.iter().filter(|writing| **writing == group).count();
                prop_assert!(of_group <= inflight, "{of_group} writes of one group");
            }
            void.extend(core.take_void());
            prop_assert!(void.iter().all(Item::is_void), "dropped a frame of a live lane");
        }
        let mut seen: Vec<usize> = numbers(&void);
        for frames in started.values() {
            prop_assert!(frames.is_sorted(), "out of order: {frames:?}");
            seen.extend(frames);
        }
        seen.extend(numbers(&core.take_all()));
        seen.sort_unstable();
        prop_assert_eq!(seen, given, "every frame is started, void or left, once");
        for group in writing {
            core.on_written(group);
        }
        prop_assert!(core.is_idle());
    }

    #[test]
    fn a_wait_lies_between_half_and_the_whole(
        base in 1..5_000u32, cap in 1..100_000u32, failures in 0..100u32, random: u64,
    ) {
        let backoff = Backoff { base: base * MILLI, cap: cap * MILLI };
        let mut whole = backoff.base;
        for _ in 1..failures {
            whole = (whole * 2).min(backoff.cap);
        }
        let whole = whole.min(backoff.cap);
        let wait = backoff.wait(failures, random);
        prop_assert!(wait <= whole, "{wait:?} above {whole:?}");
        prop_assert!(wait >= whole / 2, "{wait:?} below half of {whole:?}");
    }
}

#[test]
fn the_waits_reach_both_ends() {
    let backoff = Backoff { base: 100 * MILLI, cap: 400 * MILLI };
    assert_eq!(backoff.wait(1, 0), 50 * MILLI);
    let span = 50_000_000;
    assert_eq!(backoff.wait(1, span), 100 * MILLI);
    assert_eq!(backoff.wait(9, 0), 200 * MILLI);
    assert!(backoff.wait(u32::MAX, u64::MAX - 1) <= 400 * MILLI);
}

/// R103: a server that answers 252 for ten seconds gets 6 to 40 requests, then the batch lands.
#[test]
fn r103_too_many_parts_is_retried_with_growing_pauses() {
    for seed in 0..100 {
        let clock = Clock::manual();
        let (mut replicas, mut jitter) = (Replicas::new(1), Jitter::new(seed));
        let backoff = Backoff { base: 100 * MILLI, cap: 2000 * MILLI };
        let mut attempts = Attempts::new(backoff, true);
        let end = clock.now() + Duration::from_secs(10);
        let mut requests = 0;
        loop {
            let replica = attempts.replica(&mut replicas, clock.now());
            requests += 1;
            if clock.now() >= end {
                replicas.succeeded(replica);
                break;
            }
            let error = error(Class::Remote, Outcome::NotWritten);
            let next = attempts.failed(replica, &error, &mut replicas, clock.now(), &mut jitter);
            let Next::Retry(wait) = next else { panic!("gave up after {requests}") };
            clock.advance(wait);
        }
        assert!((6..=40).contains(&requests), "{requests} requests with seed {seed}");
    }
}

/// R105: a replica that refuses for ever is left at the second try, and the other is kept to.
#[test]
fn r105_a_replica_that_refuses_is_passed_over() {
    let now = Clock::manual().now();
    let (mut replicas, mut jitter) = (Replicas::new(2), Jitter::new(1));
    for batch in 0..10 {
        let mut attempts = Attempts::new(Backoff { base: MILLI, cap: MILLI }, false);
        let mut tries = 0;
        loop {
            let replica = attempts.replica(&mut replicas, now);
            tries += 1;
            if replica == ReplicaId(1) {
                replicas.succeeded(replica);
                break;
            }
            let error = error(Class::Remote, Outcome::NotWritten);
            attempts.failed(replica, &error, &mut replicas, now, &mut jitter);
        }
        assert!(tries <= if batch == 0 { 2 } else { 1 }, "{tries} tries of batch {batch}");
    }
}

fn error(class: Class, outcome: Outcome) -> WriteError {
    WriteError { class, outcome, code: None, text: "no".to_owned(), hint: String::new() }
}

proptest! {
    /// Holds INV-S2: once a replica may hold a batch, no other one is tried.
    #[test]
    fn a_batch_stays_with_the_replica_that_may_hold_it(
        count in 1..4usize, outcomes in prop::collection::vec(any::<bool>(), 1..40), share: bool,
        others in prop::collection::vec(0..4usize, 40), seed: u64,
    ) {
        let clock = Clock::manual();
        let (mut replicas, mut jitter) = (Replicas::new(count), Jitter::new(seed));
        let mut attempts = Attempts::new(Backoff { base: MILLI, cap: 10 * MILLI }, share);
        let mut held: Option<ReplicaId> = None;
        for (index, unknown) in outcomes.iter().enumerate() {
            let replica = attempts.replica(&mut replicas, clock.now());
            prop_assert!(replica.0 < count);
            if let Some(held) = held {
                prop_assert_eq!(replica, held);
            }
            let outcome = if *unknown { Outcome::Unknown } else { Outcome::NotWritten };
            if *unknown && !share {
                held = Some(replica);
            }
            let error = error(Class::Remote, outcome);
            let next = attempts.failed(replica, &error, &mut replicas, clock.now(), &mut jitter);
            let Next::Retry(wait) = next else { panic!("a remote failure is retried") };
            clock.advance(wait);
            // Other batches of the shard go on meanwhile, at any replica.
            let other = ReplicaId(others[index] % count);
            if others[index] < 2 { replicas.succeeded(other) } else { replicas.failed(other, clock.now()) }
        }
        prop_assert_eq!(attempts.failures() as usize, outcomes.len());
    }

    /// The breaker's table, row by row: exactly one row matches, and the state after is its own.
    #[test]
    fn the_breaker_follows_its_table(events in prop::collection::vec((0..3u8, 0..40u64), 0..60)) {
        let clock = Clock::manual();
        let mut replicas = Replicas::new(1);
        for (event, seconds) in events {
            clock.advance(Duration::from_secs(seconds));
            let (now, before) = (clock.now(), replicas.breakers()[0]);
            match event {
                0 => replicas.succeeded(ReplicaId(0)),
                1 => replicas.failed(ReplicaId(0), now),
                _ => {
                    replicas.choose(now);
                }
            }
            let after = replicas.breakers()[0];
            let rows = breaker_rows(before, event, now);
            prop_assert_eq!(rows.len(), 1, "{:?} with {} matches {:?}", before, event, rows);
            prop_assert_eq!(after, rows[0]);
        }
    }

    /// A choice is a replica whose breaker admits, if there is one; the preferred first.
    #[test]
    fn the_choice_is_one_that_admits(
        count in 1..4usize, events in prop::collection::vec((0..3u8, 0..4usize, 0..3u64), 0..60),
    ) {
        let clock = Clock::manual();
        let mut replicas = Replicas::new(count);
        let mut last_success = None;
        for (event, of, seconds) in events {
            clock.advance(Duration::from_secs(seconds));
            let (now, of) = (clock.now(), ReplicaId(of % count));
            match event {
                0 => {
                    replicas.succeeded(of);
                    last_success = Some(of);
                }
                1 => {
                    replicas.failed(of, now);
                    last_success = last_success.filter(|last| *last != of);
                }
                _ => {
                    let before = replicas.breakers().to_vec();
                    let chosen = replicas.choose(now);
                    if before.iter().any(|breaker| breaker.admits(now)) {
                        prop_assert!(before[chosen.0].admits(now), "passed over one that admits");
                    }
                    if let Some(last) = last_success && before[last.0].admits(now) {
                        prop_assert_eq!(chosen, last);
                    }
                }
            }
        }
    }
}

/// The rows of the table in `replica.rs` that match, as the state each leads to.
fn breaker_rows(before: Breaker, event: u8, now: Instant) -> Vec<Breaker> {
    let (first, cap) = (Duration::from_secs(1), Duration::from_secs(30));
    let open = |wait: Duration| Breaker::Open { until: now + wait, wait };
    let rows: [Option<Breaker>; 10] = [
        (event == 0).then_some(Breaker::Closed { failures: 0 }),
        match before {
            Breaker::Closed { failures } if event == 1 && failures < 2 => {
                Some(Breaker::Closed { failures: failures + 1 })
            }
            _ => None,
        },
        match before {
            Breaker::Closed { failures: 2 } if event == 1 => Some(open(first)),
            _ => None,
        },
        match before {
            Breaker::HalfOpen { wait } if event == 1 => Some(open((wait * 2).min(cap))),
            _ => None,
        },
        match before {
            Breaker::Open { .. } if event == 1 => Some(before),
            _ => None,
        },
        match before {
            // A lone replica is tried before its time as well: the write's own backoff paces it.
            Breaker::Open { wait, .. } if event == 2 => Some(Breaker::HalfOpen { wait }),
            _ => None,
        },
        (event == 2 && matches!(before, Breaker::Closed { .. })).then_some(before),
        (event == 2 && matches!(before, Breaker::HalfOpen { .. })).then_some(before),
        None,
        None,
    ];
    rows.into_iter().flatten().collect()
}

/// R107: what is sink-wide and permanent is refused at once, whatever its outcome.
#[test]
fn r107_only_what_may_pass_is_retried() {
    let now = Clock::manual().now();
    for class in [Class::Config, Class::Record, Class::Bug, Class::Remote] {
        for outcome in [Outcome::NotWritten, Outcome::Unknown] {
            let (mut replicas, mut jitter) = (Replicas::new(1), Jitter::new(0));
            let mut attempts = Attempts::new(Backoff { base: MILLI, cap: MILLI }, false);
            let next = attempts.failed(
                ReplicaId(0),
                &error(class, outcome),
                &mut replicas,
                now,
                &mut jitter,
            );
            assert_eq!(next == Next::Refused, class != Class::Remote, "{class:?} {outcome:?}");
        }
    }
}

/// R074: linger counts from the first row of the batch, not from the last flush.
#[test]
fn r074_linger_counts_from_the_first_row() {
    let clock = Clock::manual();
    let limits = Limits { rows: 1000, bytes: 1000, linger: 500 * MILLI };
    let mut batcher = Batcher::new(limits);
    clock.advance(Duration::from_secs(10));
    let start = clock.now();
    for at in [0, 100, 400] {
        let item = Item {
            number: 0,
            group: 0,
            rows: 1,
            bytes: 1,
            opened_at: start + at * MILLI,
            lanes: Arc::default(),
        };
        assert!(matches!(batcher.add(item), Added::Waits));
    }
    assert_eq!(batcher.due_at(|_| true), Some(start + 500 * MILLI));
    assert!(batcher.seal_due(start + 499 * MILLI, |_| true).is_empty());
    assert_eq!(batcher.seal_due(start + 500 * MILLI, |_| true)[0].len(), 3);
}

/// R111: a batch that is not full is sealed when the pipeline ends.
#[test]
fn r111_a_partial_batch_is_written_at_the_end() {
    let now = Clock::manual().now();
    let mut core = WriterCore::new(Limits { rows: 10, bytes: 1000, linger: 60_000 * MILLI }, 1);
    for number in 0..7 {
        let lanes = Arc::default();
        core.on_frame(Item { number, group: 0, rows: 1, bytes: 1, opened_at: now, lanes });
    }
    assert!(core.start_next().is_none());
    core.on_gated();
    assert_eq!(core.start_next().unwrap().1.len(), 7);
}

/// R123: closing lanes' frames are sealed at once, however long the linger.
#[test]
fn r123_a_closing_lane_does_not_wait_for_linger() {
    let now = Clock::manual().now();
    let mut core = WriterCore::new(Limits { rows: 10, bytes: 1000, linger: 30_000 * MILLI }, 1);
    let lanes = Arc::<StdMutex<Lanes>>::default();
    for (number, group) in [(0, 0), (1, 1), (2, 0)] {
        let lanes = Arc::clone(&lanes);
        core.on_frame(Item { number, group, rows: 1, bytes: 1, opened_at: now, lanes });
    }
    lanes.lock().unwrap().closing.push(0);
    core.on_lanes_changed();
    core.on_time(now);
    assert_eq!(numbers(&core.start_next().unwrap().1), [0, 2]);
    assert!(core.start_next().is_none(), "the other lane goes on filling its batch");
}

/// An insert slower than the linger does not make one tiny batch per linger behind it.
#[test]
fn what_comes_due_behind_a_slow_write_leaves_as_one_batch() {
    let clock = Clock::manual();
    let mut core = WriterCore::new(Limits { rows: 100, bytes: 1000, linger: 10 * MILLI }, 1);
    let mut batches = Vec::new();
    for number in 0..20 {
        let (opened_at, lanes) = (clock.now(), Arc::default());
        core.on_frame(Item { number, group: 0, rows: 1, bytes: 1, opened_at, lanes });
        clock.advance(10 * MILLI);
        core.on_time(clock.now());
        batches.extend(core.start_next().map(|(_, frames)| numbers(&frames)));
        assert!(core.due_at().is_none(), "nothing to wake up for before the write returns");
    }
    core.on_written(0);
    core.on_time(clock.now());
    batches.extend(core.start_next().map(|(_, frames)| numbers(&frames)));
    assert_eq!(batches, [vec![0], (1..20).collect()]);
}

#[test]
fn a_writer_stops_taking_frames_while_batches_wait() {
    let now = Clock::manual().now();
    let mut core = WriterCore::new(Limits { rows: 1, bytes: 1000, linger: MILLI }, 1);
    let mut number = 0;
    while core.wants_frames() {
        let lanes = Arc::default();
        core.on_frame(Item { number, group: 0, rows: 1, bytes: 1, opened_at: now, lanes });
        number += 1;
    }
    assert_eq!(number, WAITING_MAX);
    assert!(core.start_next().is_some());
    assert!(core.wants_frames(), "one has begun");
    assert!(core.start_next().is_none(), "one write per group at a time");
}

fn named_lane(topic: &str, id: u32, epoch: u64, incarnation: u64) -> Arc<LaneShared> {
    let partition = Partition::new(topic, id);
    Arc::new(LaneShared::new(partition, Epoch(epoch), Incarnation(incarnation), NextOffset(0)))
}

/// What a token is made of.
type Parts = (usize, usize, u32, u64, u64, u32, u64);

fn token_of((sink, topic, id, from, len, rows, incarnation): Parts) -> String {
    let topics = ["orders", "orders.eu", "orders-1", "o\u{308}rders", "o_rders", "a/b", "a_b"];
    let pool = Pool::new(1 << 20);
    let lane = named_lane(topics[topic], id, 1, incarnation);
    let now = Clock::manual().now();
    let frames = [frame(&lane, &pool, rows, from, from + len, now)];
    token("p", ["lines", "refunds"][sink], &frames)
}

fn parts() -> impl Strategy<Value = Parts> {
    (0..2usize, 0..7usize, 0..3u32, 0..30u64, 0..30u64, 1..4u32, 0..3u64)
}

proptest! {
    /// R097, R099: two ranges, names or lives never share a token; the same ones always do.
    #[test]
    fn r097_a_token_names_exactly_one_range(one in parts(), other in parts()) {
        let (a, b) = (token_of(one), token_of(other));
        prop_assert_eq!(a == b, one == other, "{} {}", a, b);
        prop_assert_eq!(&a, &token_of(one), "is the same at every try");
        let safe = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        prop_assert!(a.chars().all(safe) && a.len() <= 255, "{a:?}");
    }

    /// A token of many lanes is short enough for a file name, and still theirs alone.
    #[test]
    fn a_token_of_many_lanes_is_bounded(lanes in 1..30u32, changed in 0..30u32) {
        let pool = Pool::new(1 << 20);
        let now = Clock::manual().now();
        let frames = |last: u64| -> Vec<Frame> {
            (0..lanes)
                .map(|of| {
                    let lane = named_lane("a-topic-with-a-long-name", of, u64::from(of), 1);
                    frame(&lane, &pool, 1, 0, if of == changed { last } else { 9 }, now)
                })
                .collect()
        };
        let (a, b) = (token("p", "s", &frames(9)), token("p", "s", &frames(10)));
        prop_assert!(a.len() <= 255);
        prop_assert_eq!(a == b, changed >= lanes);
    }
}

/// A pipeline may be named in any alphabet, and still have tokens that a file name can hold.
#[test]
fn a_name_of_any_alphabet_gives_a_safe_token() {
    let pool = Pool::new(1 << 20);
    let now = Clock::manual().now();
    let long = "ö".repeat(300);
    for topic in ["t", &long] {
        let lane = named_lane(topic, 0, 1, 1);
        let frames = [frame(&lane, &pool, 1, 0, 1, now)];
        let (a, b) = (token("größe", "s", &frames), token("gr__e", "s", &frames));
        assert!(a.is_ascii() && a.len() <= 255, "{a}");
        assert_ne!(a, b);
    }
}

/// Frames of one lane in one batch are one range in its token, in the order of their rows.
#[test]
fn the_frames_of_a_batch_are_one_range() {
    let pool = Pool::new(1 << 20);
    let now = Clock::manual().now();
    let lane = lane(3, 1, 0);
    let frames = [frame(&lane, &pool, 2, 10, 14, now), frame(&lane, &pool, 3, 15, 19, now)];
    assert_eq!(token("p", "s", &frames), "p-s-0-t-3-10-19-5r-0000000000000007");
}
