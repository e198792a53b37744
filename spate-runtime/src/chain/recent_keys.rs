//! A bounded set of the keys seen last, for state that tells first times from repeats.
//!
//! Lane thread only; a field of a `#[state]`. Allocates when it is made and never again: a ring of
//! `N` keys in order of arrival, and an open-addressed table of positions in the ring, at most
//! half full. The oldest key makes room for the newest.
//!
//! ```text
//! insert(k)   known: false      new, room: append, true      new, full: forget the oldest, true
//! ```
//!
//! Source: linear probing with backward-shift deletion, Knuth, TAOCP 3, 6.4, algorithm R.

use std::hash::{Hash, Hasher};

use super::fold::{Folded, random_seed};

/// Remembers the last `N` different keys.
///
/// A lane's memory ends with its epoch: after a restart or a rebalance a key may pass once more.
/// Made by `Default`. [`BYTES`](Self::BYTES) is what it holds on to, most of them untouched until
/// keys arrive, and what keys such as `String` own comes on top.
///
/// ```
/// use spate_runtime::chain::recent_keys::RecentKeys;
///
/// let mut recent = RecentKeys::<u64, 2>::default();
/// assert!(recent.insert(1));
/// assert!(recent.insert(2));
/// assert!(!recent.insert(1), "a repeat");
/// assert!(recent.insert(3), "forgets 1, the oldest");
/// assert!(recent.insert(1));
/// ```
pub struct RecentKeys<K, const N: usize> {
    /// In order of arrival from `oldest` on, once it is full.
    ring: Vec<K>,
    oldest: usize,
    /// 0 for a free slot, else a position in the ring plus 1; a power of two long.
    table: Vec<u32>,
    seed: u64,
}

impl<K, const N: usize> std::fmt::Debug for RecentKeys<K, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecentKeys")
            .field("len", &self.ring.len())
            .field("capacity", &N)
            .finish_non_exhaustive()
    }
}

impl<K, const N: usize> Default for RecentKeys<K, N> {
    fn default() -> Self {
        const { assert!(N > 0 && N < 1 << 31, "RecentKeys holds 1 to 2^31 - 1 keys") };
        Self {
            ring: Vec::with_capacity(N),
            oldest: 0,
            table: vec![0; Self::SLOTS],
            seed: random_seed(),
        }
    }
}

impl<K, const N: usize> RecentKeys<K, N> {
    const SLOTS: usize = (2 * N).next_power_of_two();

    /// The memory of one set: `size_of::<K>() + 8..16` bytes a key, whether it has come or not.
    pub const BYTES: usize = N * size_of::<K>() + Self::SLOTS * size_of::<u32>();
}

impl<K: Hash + Eq, const N: usize> RecentKeys<K, N> {
    /// Remembers `key`; whether it was not among the last `N`.
    ///
    /// A repeat does not make its key any younger.
    pub fn insert(&mut self, key: K) -> bool {
        let mut slot = self.home(&key);
        while let Some(position) = self.at(slot) {
            if self.ring[position] == key {
                return false;
            }
            slot = self.after(slot);
        }
        if self.ring.len() < N {
            self.table[slot] = entry(self.ring.len());
            self.ring.push(key);
            return true;
        }
        let position = self.oldest;
        self.oldest = if position + 1 == N { 0 } else { position + 1 };
        self.forget(position);
        // What was forgotten may have closed a gap: look for the slot again.
        let mut slot = self.home(&key);
        while self.at(slot).is_some() {
            slot = self.after(slot);
        }
        self.table[slot] = entry(position);
        self.ring[position] = key;
        true
    }

    /// Whether `key` is among the last `N`.
    #[must_use]
    pub fn contains(&self, key: &K) -> bool {
        let mut slot = self.home(key);
        while let Some(position) = self.at(slot) {
            if self.ring[position] == *key {
                return true;
            }
            slot = self.after(slot);
        }
        false
    }

    /// How many keys it remembers, at most `N`.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ring.len()
    }

    /// Whether it has seen no key yet.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    /// Takes the key at `position` out of the table, closing the gap it leaves.
    fn forget(&mut self, position: usize) {
        let mut gap = self.home(&self.ring[position]);
        while self.at(gap) != Some(position) {
            gap = self.after(gap);
        }
        let mask = self.table.len() - 1;
        let mut slot = self.after(gap);
        while let Some(moved) = self.at(slot) {
            let home = self.home(&self.ring[moved]);
            // Only an entry whose probe passes the gap may move into it.
            if slot.wrapping_sub(home) & mask >= slot.wrapping_sub(gap) & mask {
                self.table[gap] = self.table[slot];
                gap = slot;
            }
            slot = self.after(slot);
        }
        self.table[gap] = 0;
    }

    #[inline]
    fn at(&self, slot: usize) -> Option<usize> {
        (self.table[slot] as usize).checked_sub(1)
    }

    #[inline]
    fn after(&self, slot: usize) -> usize {
        (slot + 1) & (self.table.len() - 1)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "masked to the table's length")]
    fn home(&self, key: &K) -> usize {
        let mut hasher = Folded(self.seed);
        key.hash(&mut hasher);
        hasher.finish() as usize & (self.table.len() - 1)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "N is below 2^31")]
const fn entry(position: usize) -> u32 {
    position as u32 + 1
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    /// The naive twin: a queue that is searched.
    #[derive(Default)]
    struct Twin(VecDeque<u16>);

    impl Twin {
        fn insert(&mut self, key: u16, room: usize) -> bool {
            if self.0.contains(&key) {
                return false;
            }
            if self.0.len() == room {
                self.0.pop_front();
            }
            self.0.push_back(key);
            true
        }
    }

    fn agrees<const N: usize>(keys: &[u16]) {
        let mut set = RecentKeys::<u16, N>::default();
        let mut twin = Twin::default();
        for (index, &key) in keys.iter().enumerate() {
            assert_eq!(set.contains(&key), twin.0.contains(&key), "key {key} at {index}");
            assert_eq!(set.insert(key), twin.insert(key, N), "key {key} at {index}");
            assert_eq!(set.len(), twin.0.len());
        }
    }

    proptest! {
        #[test]
        fn it_remembers_what_its_naive_twin_remembers(
            keys in prop::collection::vec(0u16..60, 0..600),
        ) {
            agrees::<1>(&keys);
            agrees::<2>(&keys);
            agrees::<7>(&keys);
            agrees::<16>(&keys);
            agrees::<33>(&keys);
        }
    }

    #[test]
    fn text_keys_are_told_apart_by_content_and_length() {
        let mut set = RecentKeys::<String, 8>::default();
        for key in ["", "\0", "\0\0", "a", "a\0", "abcdefgh", "abcdefgh\0"] {
            assert!(set.insert(key.to_owned()), "{key:?}");
        }
        assert!(!set.insert("abcdefgh".to_owned()));
    }

    #[test]
    fn it_allocates_nothing_once_it_is_made() {
        let mut set = RecentKeys::<u64, 1000>::default();
        let (ring, table) = (set.ring.capacity(), set.table.capacity());
        let first = set.ring.as_ptr();
        for key in 0..10_000 {
            assert!(set.insert(key));
        }
        assert_eq!((set.ring.capacity(), set.table.capacity()), (ring, table));
        assert_eq!(set.ring.as_ptr(), first);
        assert_eq!(RecentKeys::<u64, 1000>::BYTES, ring * 8 + table * 4);
    }

    #[test]
    fn running_ids_spread_over_the_table() {
        let mut set = RecentKeys::<u64, 4096>::default();
        for key in 0..4096 {
            set.insert(key);
        }
        let longest = set.table.split(|&slot| slot == 0).map(<[u32]>::len).max();
        assert!(longest < Some(200), "a run of {longest:?} slots");
    }
}
