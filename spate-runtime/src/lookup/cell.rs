//! Where the newest snapshot lies: one writer swaps, lanes look without waiting.
//!
//! The I/O task is the only one that stores; lanes load the version once a batch, and take the
//! snapshot when it rose. Both sides hold the lock for a swap or a count of references only, and a
//! lane that finds it taken goes on with what it has. Snapshots that were replaced are kept until
//! no lane reads them, and freed by the I/O task.
//!
//! Holds: INV-L6.

use std::any::Any;
use std::fmt;
use std::sync::Arc as StdArc;
use std::time::Instant;

use super::Lookup;
use crate::sync::{Arc, AtomicU64, Mutex, Ordering};

/// The place of one lookup's snapshots.
pub struct LookupCell<K, V> {
    version: AtomicU64,
    snapshots: Mutex<Snapshots<K, V>>,
    status: LookupStatus,
}

struct Snapshots<K, V> {
    current: Arc<Lookup<K, V>>,
    /// Replaced, but perhaps still read.
    replaced: Vec<Arc<Lookup<K, V>>>,
}

/// What a lookup shows of its loads.
#[derive(Debug, Default)]
pub(crate) struct LookupStatus {
    /// Snapshots that were swapped in.
    pub(crate) loads: AtomicU64,
    /// Loads that failed: the old snapshot stayed.
    pub(crate) failures: AtomicU64,
    /// Keys of the snapshot that is read now.
    pub(crate) entries: AtomicU64,
    /// When it was swapped in, and what the last load failed with, if it did.
    pub(crate) last: Mutex<Last>,
}

/// See [`LookupStatus::last`].
#[derive(Debug, Default)]
pub(crate) struct Last {
    pub(crate) loaded: Option<Instant>,
    pub(crate) trouble: Option<String>,
}

/// A cell whatever its types are.
pub(crate) trait AnyCell: Any + Send + Sync + fmt::Debug {
    /// What it shows.
    fn status(&self) -> &LookupStatus;

    /// Itself, for a reader that knows its types.
    fn into_any(self: StdArc<Self>) -> StdArc<dyn Any + Send + Sync>;
}

impl<K, V> fmt::Debug for LookupCell<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LookupCell")
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

impl<K, V> Default for LookupCell<K, V> {
    fn default() -> Self {
        Self {
            version: AtomicU64::new(0),
            snapshots: Mutex::new(Snapshots {
                current: Arc::new(Lookup::default()),
                replaced: Vec::new(),
            }),
            status: LookupStatus::default(),
        }
    }
}

impl<K, V> LookupCell<K, V> {
    /// Swaps `snapshot` in, and frees what no lane reads any more.
    pub fn store(&self, snapshot: Lookup<K, V>, now: Instant) {
        let entries = snapshot.len() as u64;
        let snapshot = Arc::new(snapshot);
        let unread: Vec<Arc<Lookup<K, V>>> = {
            let mut snapshots = self.snapshots.lock();
            let old = std::mem::replace(&mut snapshots.current, snapshot);
            snapshots.replaced.push(old);
            // Behind the swap, so that a lane which sees the version finds the snapshot.
            self.version.fetch_add(1, Ordering::Release);
            let unread = |old: &mut Arc<Lookup<K, V>>| Arc::strong_count(old) == 1;
            snapshots.replaced.extract_if(.., unread).collect()
        };
        // Outside of the lock: a large snapshot takes its time.
        drop(unread);
        self.status.entries.store(entries, Ordering::Relaxed);
        self.status.loads.fetch_add(1, Ordering::Relaxed);
        *self.status.last.lock() = Last { loaded: Some(now), trouble: None };
    }

    /// How many snapshots lie here: the one that is read, and those some lane may still read.
    #[must_use]
    pub fn held(&self) -> usize {
        self.snapshots.lock().replaced.len() + 1
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> AnyCell for LookupCell<K, V> {
    fn status(&self) -> &LookupStatus {
        &self.status
    }

    fn into_any(self: StdArc<Self>) -> StdArc<dyn Any + Send + Sync> {
        self
    }
}

/// One lane's view of a lookup.
pub struct LookupReader<K, V> {
    cell: StdArc<LookupCell<K, V>>,
    version: u64,
    snapshot: Arc<Lookup<K, V>>,
}

impl<K, V> fmt::Debug for LookupReader<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LookupReader")
            .field("version", &self.version)
            .field("snapshot", &self.snapshot)
            .finish_non_exhaustive()
    }
}

impl<K, V> LookupReader<K, V> {
    /// A view of `cell`, with what lies there now.
    #[must_use]
    pub fn new(cell: StdArc<LookupCell<K, V>>) -> Self {
        let (version, snapshot) = {
            let snapshots = cell.snapshots.lock();
            (cell.version.load(Ordering::Relaxed), Arc::clone(&snapshots.current))
        };
        Self { cell, version, snapshot }
    }

    /// The newest snapshot, for one batch.
    ///
    /// Lane thread; never waits (INV-L6). Cost: one atomic load, unless there is a new one.
    #[inline]
    pub fn current(&mut self) -> &Lookup<K, V> {
        if self.cell.version.load(Ordering::Acquire) != self.version {
            self.take_newest();
        }
        &self.snapshot
    }

    #[cold]
    fn take_newest(&mut self) {
        let Some(snapshots) = self.cell.snapshots.try_lock() else { return };
        self.version = self.cell.version.load(Ordering::Relaxed);
        // The old one is not the last of its kind: the cell keeps what was replaced.
        self.snapshot = Arc::clone(&snapshots.current);
    }
}
