//! The life of every lane from assignment to release. Pure.
//!
//! | lane is | event | becomes | effect |
//! |---|---|---|---|
//! | unknown | assigned | running | |
//! | running | revoked, drain | closing | `Close` |
//! | running, closing | lost, deadline passed | abandoned | `Abandon` |
//! | closing with the drain | revoked | closing, to be given back | |
//! | closing, abandoned | dropped by its thread | the same, dropped | |
//! | closing, dropped, nothing unresolved | tick | gone | `Release` with its group |
//! | abandoned, dropped | tick | gone | `Release` with its group |
//!
//! Partitions revoked together are released together, because a source unassigns them together.
//!
//! Holds: INV-A2, INV-L4 (a partition is released after its lane is dropped, and not before its
//! frames are resolved or its bound has passed).

use std::collections::BTreeMap;
use std::time::Instant;

use crate::id::{Epoch, Partition};

/// What the controller has to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Tell the lane's thread to stop reading and to hand over.
    Close(Epoch),
    /// End the epoch: what is not on the wire is dropped, later acks are void.
    Abandon(Epoch),
    /// Commit what is resolved (unless lost), then give the partitions back.
    Release(Release),
}

/// Partitions whose lanes are gone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Release {
    /// Index of the source they belong to.
    pub source: usize,
    /// Which partitions, in order of assignment.
    pub partitions: Vec<Partition>,
    /// Their epochs, in the same order.
    pub epochs: Vec<Epoch>,
    /// No commit can succeed any more.
    pub lost: bool,
    /// The bound passed before everything was resolved.
    pub abandoned: bool,
    /// The whole pipeline drains: the source is closed next.
    pub drain: bool,
    /// The source asked for them, and waits for them.
    pub revoked: bool,
}

#[derive(Debug)]
struct Entry {
    source: usize,
    partition: Partition,
    dropped: bool,
}

#[derive(Debug)]
struct Group {
    source: usize,
    epochs: Vec<Epoch>,
    deadline: Instant,
    lost: bool,
    abandoned: bool,
    drain: bool,
    revoked: bool,
}

/// Every lane of the process, and the groups that are on their way out.
#[derive(Debug, Default)]
pub struct Assignments {
    lanes: BTreeMap<Epoch, Entry>,
    groups: Vec<Group>,
}

impl Assignments {
    /// A lane runs from now on.
    pub fn assigned(&mut self, source: usize, partition: Partition, epoch: Epoch) {
        self.lanes
            .insert(epoch, Entry { source, partition, dropped: false });
    }

    /// Partitions are to be given back by `deadline`, those too that leave with the drain.
    pub fn revoked(
        &mut self,
        source: usize,
        partitions: &[Partition],
        lost: bool,
        deadline: Instant,
    ) -> Vec<Effect> {
        let of_source =
            |entry: &Entry| entry.source == source && partitions.contains(&entry.partition);
        let (leaving, running): (Vec<Epoch>, Vec<Epoch>) = self
            .lanes
            .iter()
            .filter(|(_, entry)| of_source(entry))
            .map(|(epoch, _)| *epoch)
            .partition(|epoch| self.is_leaving(*epoch));
        let mut effects = self.part(&leaving, lost, deadline);
        effects.extend(self.leave(source, running, deadline, lost, false));
        effects
    }

    /// Everything is to end by `deadline`.
    pub fn drain(&mut self, deadline: Instant) -> Vec<Effect> {
        let sources: std::collections::BTreeSet<usize> =
            self.lanes.values().map(|entry| entry.source).collect();
        let mut effects = Vec::new();
        for source in sources {
            let epochs: Vec<Epoch> = self
                .lanes
                .iter()
                .filter(|(epoch, entry)| entry.source == source && !self.is_leaving(**epoch))
                .map(|(epoch, _)| *epoch)
                .collect();
            effects.extend(self.leave(source, epochs, deadline, false, true));
        }
        effects
    }

    /// Nothing on its way out may take longer than until `deadline`.
    pub fn hasten(&mut self, deadline: Instant) {
        for group in &mut self.groups {
            group.deadline = group.deadline.min(deadline);
        }
    }

    /// The lane's thread has dropped it.
    pub fn dropped(&mut self, epoch: Epoch) {
        if let Some(entry) = self.lanes.get_mut(&epoch) {
            entry.dropped = true;
        }
    }

    /// What time and resolved frames make possible; `pending` counts the frames of a
    /// lane that may still become durable.
    pub fn tick(&mut self, now: Instant, pending: impl Fn(Epoch) -> usize) -> Vec<Effect> {
        let mut effects = Vec::new();
        let lanes = &mut self.lanes;
        self.groups.retain_mut(|group| {
            let dropped = |epoch: &Epoch| lanes.get(epoch).is_none_or(|entry| entry.dropped);
            let all_dropped = group.epochs.iter().all(dropped);
            let resolved = group.epochs.iter().all(|epoch| pending(*epoch) == 0);
            if all_dropped && (resolved || group.abandoned) {
                effects.push(Effect::Release(Release {
                    source: group.source,
                    partitions: group
                        .epochs
                        .iter()
                        .filter_map(|epoch| lanes.remove(epoch))
                        .map(|entry| entry.partition)
                        .collect(),
                    epochs: std::mem::take(&mut group.epochs),
                    lost: group.lost,
                    abandoned: group.abandoned && !resolved,
                    drain: group.drain,
                    revoked: group.revoked,
                }));
                return false;
            }
            if now >= group.deadline && !group.abandoned {
                group.abandoned = true;
                effects.extend(group.epochs.iter().map(|epoch| Effect::Abandon(*epoch)));
            }
            true
        });
        effects
    }

    /// Whether groups are on their way out.
    #[must_use]
    pub fn is_releasing(&self) -> bool {
        !self.groups.is_empty()
    }

    /// Whether no lane is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    fn is_leaving(&self, epoch: Epoch) -> bool {
        self.groups
            .iter()
            .any(|group| group.epochs.contains(&epoch))
    }

    fn leave(
        &mut self,
        source: usize,
        epochs: Vec<Epoch>,
        deadline: Instant,
        lost: bool,
        drain: bool,
    ) -> Vec<Effect> {
        if epochs.is_empty() {
            return Vec::new();
        }
        let effect = if lost { Effect::Abandon } else { Effect::Close };
        let effects = epochs.iter().copied().map(effect).collect();
        self.groups.push(Group {
            source,
            epochs,
            deadline,
            lost,
            abandoned: lost,
            drain,
            revoked: !drain,
        });
        effects
    }

    /// Parts lanes on their way out from their group, if a revoke changes how they leave.
    fn part(&mut self, leaving: &[Epoch], lost: bool, deadline: Instant) -> Vec<Effect> {
        let mut effects = Vec::new();
        let mut parted = Vec::new();
        for group in &mut self.groups {
            if group.lost || !lost && group.revoked {
                continue;
            }
            let epochs: Vec<Epoch> = group
                .epochs
                .extract_if(.., |epoch| leaving.contains(epoch))
                .collect();
            if epochs.is_empty() {
                continue;
            }
            if lost {
                effects.extend(epochs.iter().copied().map(Effect::Abandon));
            }
            parted.push(Group {
                source: group.source,
                epochs,
                deadline: group.deadline.min(deadline),
                lost,
                abandoned: group.abandoned || lost,
                drain: group.drain,
                revoked: true,
            });
        }
        self.groups.retain(|group| !group.epochs.is_empty());
        self.groups.extend(parted);
        effects
    }
}
