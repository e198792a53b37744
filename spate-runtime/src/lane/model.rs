//! A naive twin of the assignments: every lane's life on its own, groups as a tag. Test only.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::assign::{Assignments, Effect, Release};
use crate::clock::Clock;
use crate::id::{Epoch, Partition};

const SECOND: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
struct Life {
    source: usize,
    partition: u32,
    dropped: bool,
    pending: usize,
    /// How it leaves; `None` while it runs.
    leaves: Option<Leaves>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Leaves {
    /// Lanes with one tag are released together.
    tag: usize,
    deadline: Instant,
    lost: bool,
    abandoned: bool,
    drain: bool,
    revoked: bool,
}

#[derive(Default)]
struct Twin {
    lanes: BTreeMap<Epoch, Life>,
    tags: usize,
}

impl Twin {
    fn tag(&mut self) -> usize {
        self.tags += 1;
        self.tags
    }

    fn revoked(&mut self, source: usize, of: &[u32], lost: bool, deadline: Instant) -> Vec<Effect> {
        let (mut effects, new) = (Vec::new(), self.tag());
        let mut parted: BTreeMap<usize, usize> = BTreeMap::new();
        let mut tags = self.tags;
        for (epoch, lane) in &mut self.lanes {
            if lane.source != source || !of.contains(&lane.partition) {
                continue;
            }
            let effect = if lost { Effect::Abandon(*epoch) } else { Effect::Close(*epoch) };
            match &mut lane.leaves {
                None => {
                    let (drain, revoked, abandoned) = (false, true, lost);
                    lane.leaves =
                        Some(Leaves { tag: new, deadline, lost, abandoned, drain, revoked });
                    effects.push(effect);
                }
                Some(leaves) if !leaves.lost && (lost || !leaves.revoked) => {
                    leaves.tag = *parted.entry(leaves.tag).or_insert_with(|| {
                        tags += 1;
                        tags
                    });
                    leaves.deadline = leaves.deadline.min(deadline);
                    leaves.lost |= lost;
                    leaves.abandoned |= lost;
                    leaves.revoked = true;
                    if lost {
                        effects.push(effect);
                    }
                }
                Some(_) => {}
            }
        }
        self.tags = tags;
        effects
    }

    fn drain(&mut self, deadline: Instant) -> Vec<Effect> {
        let mut effects = Vec::new();
        for source in 0..2 {
            let tag = self.tag();
            for (epoch, lane) in &mut self.lanes {
                if lane.source == source && lane.leaves.is_none() {
                    let (lost, abandoned, drain, revoked) = (false, false, true, false);
                    lane.leaves = Some(Leaves { tag, deadline, lost, abandoned, drain, revoked });
                    effects.push(Effect::Close(*epoch));
                }
            }
        }
        effects
    }

    fn tick(&mut self, now: Instant) -> Vec<Effect> {
        let mut effects = Vec::new();
        for tag in 0..=self.tags {
            let group: Vec<(Epoch, Life)> = self
                .lanes
                .iter()
                .filter(|(_, lane)| lane.leaves.is_some_and(|leaves| leaves.tag == tag))
                .map(|(epoch, lane)| (*epoch, lane.clone()))
                .collect();
            let Some(leaves) = group.first().and_then(|(_, lane)| lane.leaves) else { continue };
            let resolved = group.iter().all(|(_, lane)| lane.pending == 0);
            if group.iter().all(|(_, lane)| lane.dropped) && (resolved || leaves.abandoned) {
                self.lanes
                    .retain(|epoch, _| group.iter().all(|(gone, _)| gone != epoch));
                effects.push(Effect::Release(Release {
                    source: group[0].1.source,
                    partitions: group
                        .iter()
                        .map(|(_, lane)| Partition::new("t", lane.partition))
                        .collect(),
                    epochs: group.iter().map(|(epoch, _)| *epoch).collect(),
                    lost: leaves.lost,
                    abandoned: leaves.abandoned && !resolved,
                    drain: leaves.drain,
                    revoked: leaves.revoked,
                }));
            } else if now >= leaves.deadline && !leaves.abandoned {
                for (epoch, _) in group {
                    let leaves = self
                        .lanes
                        .get_mut(&epoch)
                        .and_then(|lane| lane.leaves.as_mut());
                    leaves.expect("is leaving").abandoned = true;
                    effects.push(Effect::Abandon(epoch));
                }
            }
        }
        effects
    }
}

/// Effects in an order of their own: which group comes first is nobody's business.
fn sorted(mut effects: Vec<Effect>) -> Vec<Effect> {
    effects.sort_by_key(|effect| match effect {
        Effect::Close(epoch) => (0, *epoch),
        Effect::Abandon(epoch) => (1, *epoch),
        Effect::Release(release) => (2, release.epochs[0]),
    });
    effects
}

#[derive(Clone, Debug)]
enum Act {
    Assign { source: usize, partition: u32, pending: usize },
    Revoke { source: usize, of: Vec<u32>, lost: bool },
    Drain,
    Hasten,
    Drop(usize),
    Resolve(usize),
    Pass(u32),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let some = || prop::collection::vec(0..5u32, 1..4);
    let act = prop_oneof![
        6 => (0..2usize, 0..5u32, 0..3usize)
            .prop_map(|(source, partition, pending)| Act::Assign { source, partition, pending }),
        4 => (0..2usize, some(), prop::bool::weighted(0.3))
            .prop_map(|(source, of, lost)| Act::Revoke { source, of, lost }),
        1 => Just(Act::Drain),
        1 => Just(Act::Hasten),
        8 => (0..10usize).prop_map(Act::Drop),
        8 => (0..10usize).prop_map(Act::Resolve),
        4 => (0..8u32).prop_map(Act::Pass),
    ];
    prop::collection::vec(act, 0..80)
}

proptest! {
    /// Holds INV-L4 and INV-A2: lanes leave as the table of `assign.rs` says, whatever comes when.
    #[test]
    fn lanes_leave_as_the_table_says(acts in acts()) {
        let clock = Clock::manual();
        let (mut core, mut twin, mut epochs) = (Assignments::default(), Twin::default(), 0);
        for act in acts {
            let now = clock.now();
            match act {
                Act::Assign { source, partition, pending } => {
                    let same = |lane: &Life| lane.source == source && lane.partition == partition;
                    if twin.lanes.values().any(same) {
                        continue;
                    }
                    epochs += 1;
                    core.assigned(source, Partition::new("t", partition), Epoch(epochs));
                    let (dropped, leaves) = (false, None);
                    let life = Life { source, partition, dropped, pending, leaves };
                    twin.lanes.insert(Epoch(epochs), life);
                }
                Act::Revoke { source, of, lost } => {
                    let deadline = now + 5 * SECOND;
                    let partitions: Vec<Partition> =
                        of.iter().map(|id| Partition::new("t", *id)).collect();
                    let effects = core.revoked(source, &partitions, lost, deadline);
                    let expected = twin.revoked(source, &of, lost, deadline);
                    prop_assert_eq!(sorted(effects), sorted(expected));
                }
                Act::Drain => {
                    let effects = core.drain(now + 20 * SECOND);
                    prop_assert_eq!(sorted(effects), sorted(twin.drain(now + 20 * SECOND)));
                }
                Act::Hasten => {
                    core.hasten(now);
                    for leaves in twin.lanes.values_mut().filter_map(|lane| lane.leaves.as_mut()) {
                        leaves.deadline = leaves.deadline.min(now);
                    }
                }
                Act::Drop(nth) => {
                    let Some((epoch, lane)) = twin.lanes.iter_mut().nth(nth) else { continue };
                    if lane.leaves.is_some() {
                        core.dropped(*epoch);
                        lane.dropped = true;
                    }
                }
                Act::Resolve(nth) => {
                    let Some(lane) = twin.lanes.values_mut().nth(nth) else { continue };
                    if lane.leaves.is_none_or(|leaves| !leaves.abandoned) {
                        lane.pending = lane.pending.saturating_sub(1);
                    }
                }
                Act::Pass(seconds) => clock.advance(seconds * SECOND),
            }
            let now = clock.now();
            let lanes = twin.lanes.clone();
            let effects = core.tick(now, |epoch| lanes[&epoch].pending);
            for effect in &effects {
                if let Effect::Release(release) = effect {
                    prop_assert!(release.epochs.iter().all(|epoch| lanes[epoch].dropped));
                }
            }
            prop_assert_eq!(sorted(effects), sorted(twin.tick(now)));
            prop_assert_eq!(core.is_empty(), twin.lanes.is_empty());
            let leaving = twin.lanes.values().any(|lane| lane.leaves.is_some());
            prop_assert_eq!(core.is_releasing(), leaving);
        }
    }
}

fn assigned(count: u32) -> Assignments {
    let mut core = Assignments::default();
    for id in 0..count {
        core.assigned(0, Partition::new("t", id), Epoch(u64::from(id)));
    }
    core
}

/// Holds INV-L4. R012: one partition is revoked; nothing happens to the others.
#[test]
fn r012_only_what_was_revoked_is_closed() {
    let now = Clock::manual().now();
    let mut core = assigned(2);
    let effects = core.revoked(0, &[Partition::new("t", 1)], false, now + SECOND);
    assert_eq!(effects, [Effect::Close(Epoch(1))]);
    core.dropped(Epoch(1));
    let effects = core.tick(now, |_| 0);
    let [Effect::Release(release)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(release.partitions, [Partition::new("t", 1)]);
    assert!(core.tick(now + 60 * SECOND, |_| 50).is_empty(), "the other one runs on");
}

/// Holds INV-L4. R013: buffered rows hold the release until they are durable or the bound passed.
#[test]
fn r013_a_partition_is_not_released_before_its_rows_are_durable() {
    let now = Clock::manual().now();
    let mut core = assigned(1);
    core.revoked(0, &[Partition::new("t", 0)], false, now + 10 * SECOND);
    core.dropped(Epoch(0));
    assert!(core.tick(now + 9 * SECOND, |_| 1).is_empty());
    let effects = core.tick(now + 9 * SECOND, |_| 0);
    assert!(matches!(&effects[..], [Effect::Release(release)] if !release.abandoned));
}

/// Holds INV-A2. R019: the bound passes, the epoch ends, the partition is given back.
#[test]
fn r019_a_partition_is_given_back_when_the_bound_has_passed() {
    let now = Clock::manual().now();
    let mut core = assigned(1);
    core.revoked(0, &[Partition::new("t", 0)], false, now + SECOND);
    assert_eq!(core.tick(now + SECOND, |_| 1), [Effect::Abandon(Epoch(0))]);
    assert!(core.tick(now + SECOND, |_| 1).is_empty(), "its thread still has it");
    core.dropped(Epoch(0));
    let effects = core.tick(now + SECOND, |_| 1);
    assert!(matches!(&effects[..], [Effect::Release(release)] if release.abandoned));
}

/// Holds INV-L4: a session lost in the middle of a revoke ends the epoch, and nothing is committed.
#[test]
fn a_partition_lost_while_it_closes_is_abandoned() {
    let now = Clock::manual().now();
    let mut core = assigned(2);
    let both = [Partition::new("t", 0), Partition::new("t", 1)];
    core.revoked(0, &both, false, now + 10 * SECOND);
    let effects = core.revoked(0, &both[..1], true, now + 10 * SECOND);
    assert_eq!(effects, [Effect::Abandon(Epoch(0))]);
    core.dropped(Epoch(0));
    let effects = core.tick(now, |_| 1);
    let [Effect::Release(release)] = &effects[..] else { panic!("{effects:?}") };
    assert!(release.lost && release.partitions == both[..1]);
}

/// Holds INV-L4: a partition revoked during the drain is given back when its lane has left.
#[test]
fn a_partition_revoked_during_the_drain_is_given_back_after_its_lane_is_dropped() {
    let now = Clock::manual().now();
    let mut core = assigned(2);
    core.drain(now + 30 * SECOND);
    let effects = core.revoked(0, &[Partition::new("t", 1)], false, now + 10 * SECOND);
    assert!(effects.is_empty(), "it is closing already");
    assert!(core.tick(now, |_| 0).is_empty(), "its thread still has it");
    core.dropped(Epoch(1));
    let effects = core.tick(now, |_| 0);
    let [Effect::Release(release)] = &effects[..] else { panic!("{effects:?}") };
    assert!(release.revoked && release.drain);
    core.dropped(Epoch(0));
    let effects = core.tick(now, |_| 0);
    let [Effect::Release(release)] = &effects[..] else { panic!("{effects:?}") };
    assert!(!release.revoked && release.drain);
}
