//! Lookups: read-mostly snapshots that operators join with, refreshed beside the lanes.
//!
//! A snapshot is immutable. An I/O task makes the next one and swaps it in ([`LookupCell`]); a lane
//! takes the newest at the start of each batch ([`LookupReader`]) by one atomic load, and never
//! waits: while the swap is under way it reads the old one for one more batch. Snapshots are freed
//! by the I/O task, not by the last lane that read them.
//!
//! ```text
//! load ok      → swap in, version + 1, loads + 1, trouble cleared
//! load failed  → the old snapshot stays, failures + 1, trouble says why, log at powers of two
//! first load   → before a record is read; if it fails, the pipeline does not start (S040)
//! ```

mod cell;
mod load;

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;

use crate::chain::fold::Seeded;

pub(crate) use cell::{AnyCell, LookupStatus};
pub use cell::{LookupCell, LookupReader};
pub use load::{LoadError, Loaded, Loading};
pub(crate) use load::{Loader, load_once, refresh};

/// A snapshot of keys and values.
///
/// What a `#[lookup]` returns, and what operators take by `&`. Made from pairs; of equal keys the
/// last one stays.
///
/// ```
/// use spate_runtime::lookup::Lookup;
///
/// let prices: Lookup<String, u32> = [("apple".to_owned(), 30), ("pear".to_owned(), 40)].into();
/// assert_eq!(prices.get("pear"), Some(&40));
/// assert_eq!(prices.get("fig"), None);
/// ```
pub struct Lookup<K, V>(HashMap<K, V, Seeded>);

impl<K, V> fmt::Debug for Lookup<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookup")
            .field("len", &self.0.len())
            .finish_non_exhaustive()
    }
}

impl<K, V> Default for Lookup<K, V> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<K: Hash + Eq, V> Lookup<K, V> {
    /// The value of `key`.
    #[inline]
    #[must_use]
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.0.get(key)
    }

    /// Whether there is a value for `key`.
    #[inline]
    #[must_use]
    pub fn contains<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.contains_key(key)
    }
}

impl<K, V> Lookup<K, V> {
    /// How many keys it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Hash + Eq, V> FromIterator<(K, V)> for Lookup<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl<K: Hash + Eq, V, const N: usize> From<[(K, V); N]> for Lookup<K, V> {
    fn from(pairs: [(K, V); N]) -> Self {
        pairs.into_iter().collect()
    }
}

#[cfg(all(test, loom))]
mod loom;
#[cfg(all(test, not(loom)))]
mod tests;
