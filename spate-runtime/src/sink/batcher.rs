//! Decides which frames are written together and when. Pure.
//!
//! Frames of one group (one lane for a sink that deduplicates, else all) collect until a limit is
//! reached; whole frames are sealed, and a frame ends at the end of a payload, so a batch may pass
//! its limits by the last frame.
//!
//! ```text
//! add(frame)        rows or bytes reached                           -> sealed
//! seal_due(now)     first row as old as the linger, or the lane is
//!                   closing, and the batch could be written at once -> sealed
//! seal_all()        drain, or the budget is used up                 -> sealed
//! ```
//!
//! Holds: INV-S1 (a sealed batch of a deduplicating sink holds one lane's frames, in offset order).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What the batcher must know of a frame.
pub trait BatchItem {
    /// The group it may be written with.
    fn group(&self) -> u64;
    /// Rows in it.
    fn rows(&self) -> u64;
    /// Encoded bytes in it.
    fn bytes(&self) -> u64;
    /// When its first row was pushed.
    fn opened_at(&self) -> Instant;
    /// Whether its lane is handing over its last frames.
    fn is_closing(&self) -> bool;
    /// Whether its lane's epoch has ended: it is not to be written.
    fn is_void(&self) -> bool;
}

/// When a group is sealed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Rows at which a batch is full.
    pub rows: u64,
    /// Encoded bytes at which a batch is full.
    pub bytes: u64,
    /// How old a batch's first row may grow.
    pub linger: Duration,
}

#[derive(Debug)]
struct Group<T> {
    items: Vec<T>,
    rows: u64,
    bytes: u64,
    due: Instant,
}

/// Frames that wait to be sealed, by group.
#[derive(Debug)]
pub struct Batcher<T> {
    limits: Limits,
    groups: BTreeMap<u64, Group<T>>,
}

impl<T: BatchItem> Batcher<T> {
    /// Makes a batcher that holds nothing.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        Self { limits, groups: BTreeMap::new() }
    }

    /// Takes a frame; returns what it sealed. A void frame is given back as dropped.
    pub fn add(&mut self, item: T) -> Added<T> {
        if item.is_void() {
            return Added::Void(item);
        }
        let key = item.group();
        // Nothing more is to come from a lane that is closing: there is nothing to linger for.
        let linger = if item.is_closing() { Duration::ZERO } else { self.limits.linger };
        let due = item.opened_at() + linger;
        let group = self.groups.entry(key).or_insert_with(|| Group {
            items: Vec::new(),
            rows: 0,
            bytes: 0,
            due,
        });
        group.rows += item.rows();
        group.bytes += item.bytes();
        group.due = group.due.min(due);
        group.items.push(item);
        if group.rows >= self.limits.rows || group.bytes >= self.limits.bytes {
            return self.seal(key).map_or(Added::Waits, Added::Sealed);
        }
        Added::Waits
    }

    /// When the next of the groups that `may` be sealed comes due; `None` while none waits.
    #[must_use]
    pub fn due_at(&self, may: impl Fn(u64) -> bool) -> Option<Instant> {
        let groups = self.groups.iter().filter(|(key, _)| may(**key));
        groups.map(|(_, group)| group.due).min()
    }

    /// Seals the groups that are due at `now` and that `may` be sealed, in group order.
    pub fn seal_due(&mut self, now: Instant, may: impl Fn(u64) -> bool) -> Vec<Vec<T>> {
        self.seal_where(|key, group| group.due <= now && may(key))
    }

    /// Makes the groups of lanes that are closing due at once.
    pub fn hasten_closing(&mut self) {
        for group in self.groups.values_mut() {
            let first = group.items.iter().map(BatchItem::opened_at).min();
            if group.items.iter().any(BatchItem::is_closing) {
                group.due = group.due.min(first.unwrap_or(group.due));
            }
        }
    }

    /// Seals everything, in group order.
    pub fn seal_all(&mut self) -> Vec<Vec<T>> {
        self.seal_where(|_, _| true)
    }

    /// Takes out the frames whose lane's epoch has ended.
    pub fn take_void(&mut self) -> Vec<T> {
        let mut void = Vec::new();
        self.groups.retain(|_, group| {
            for item in group.items.extract_if(.., |item| item.is_void()) {
                group.rows -= item.rows();
                group.bytes -= item.bytes();
                void.push(item);
            }
            !group.items.is_empty()
        });
        void
    }

    /// Rows that wait.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.groups.values().map(|group| group.rows).sum()
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    fn seal_where(&mut self, which: impl Fn(u64, &Group<T>) -> bool) -> Vec<Vec<T>> {
        let keys: Vec<u64> = self
            .groups
            .iter()
            .filter(|(key, group)| which(**key, group))
            .map(|(key, _)| *key)
            .collect();
        keys.into_iter().filter_map(|key| self.seal(key)).collect()
    }

    fn seal(&mut self, key: u64) -> Option<Vec<T>> {
        self.groups.remove(&key).map(|group| group.items)
    }
}

/// What became of a frame given to the batcher.
#[derive(Debug)]
pub enum Added<T> {
    /// It waits with its group.
    Waits,
    /// Its group is sealed, itself included.
    Sealed(Vec<T>),
    /// Its lane's epoch has ended: it is not to be written.
    Void(T),
}
