//! `.dedup(key, size)`: a bounded memory of keys, one for each lane.
//!
//! Lane thread only. A key is remembered as 128 bits, so the memory of a lane is the same whatever
//! the keys are, and a key may borrow from its record. Integers are kept as they are; texts and
//! tuples as a keyed hash of two times SipHash, which two different keys share with a probability
//! of 2^-128: a record is never taken for another's repeat by somebody's choice of keys.
//!
//! ```text
//! first(k)   k among the last N: false      else: remember it, forget the oldest, true
//! ```

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, RandomState};

use super::recent_keys::RecentKeys;

/// A key that tells a repeat from a first time.
///
/// Implement it for a type of yours by what is in it: `self.0.fingerprint(secret)` for one key,
/// [`Secret::of`] for anything that is `Hash`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key to deduplicate by [P046]",
    label = "no such key",
    note = "help: key by an integer, a string, a uuid, or a tuple of these"
)]
pub trait DedupKey {
    /// 128 bits that equal keys of one type share, and different keys do not.
    fn fingerprint(&self, secret: &Secret) -> u128;
}

/// What the fingerprints of one lane are made with: random, so that nobody can prepare keys.
#[derive(Clone, Debug, Default)]
pub struct Secret([RandomState; 2]);

impl Secret {
    /// The fingerprint of anything that can be hashed.
    pub fn of<K: Hash + ?Sized>(&self, key: &K) -> u128 {
        let [high, low] = [&self.0[0], &self.0[1]].map(|half| u128::from(half.hash_one(key)));
        high << 64 | low
    }
}

macro_rules! kept_as_they_are {
    ($($t:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl DedupKey for $t {
            #[inline]
            fn fingerprint(&self, _secret: &Secret) -> u128 {
                u128::from(*self)
            }
        }
    )*};
}
kept_as_they_are!(bool, char, u8, u16, u32, u64, u128);

macro_rules! kept_unsigned {
    ($($t:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl DedupKey for $t {
            #[inline]
            fn fingerprint(&self, _secret: &Secret) -> u128 {
                u128::from(self.cast_unsigned())
            }
        }
    )*};
}
kept_unsigned!(i8, i16, i32, i64, i128);

macro_rules! hashed {
    ($($t:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl DedupKey for $t {
            #[inline]
            fn fingerprint(&self, secret: &Secret) -> u128 {
                secret.of(self)
            }
        }
    )*};
}
hashed!(str, String, [u8]);

#[diagnostic::do_not_recommend]
impl DedupKey for super::types::Uuid {
    #[inline]
    fn fingerprint(&self, _secret: &Secret) -> u128 {
        u128::from_be_bytes(self.0)
    }
}

#[diagnostic::do_not_recommend]
impl<const N: usize> DedupKey for [u8; N] {
    #[inline]
    fn fingerprint(&self, secret: &Secret) -> u128 {
        secret.of(self)
    }
}

#[diagnostic::do_not_recommend]
impl<K: DedupKey + ?Sized> DedupKey for &K {
    #[inline]
    fn fingerprint(&self, secret: &Secret) -> u128 {
        (**self).fingerprint(secret)
    }
}

#[diagnostic::do_not_recommend]
impl<K: DedupKey + ToOwned + ?Sized> DedupKey for Cow<'_, K> {
    #[inline]
    fn fingerprint(&self, secret: &Secret) -> u128 {
        (**self).fingerprint(secret)
    }
}

#[diagnostic::do_not_recommend]
impl<A: DedupKey, B: DedupKey> DedupKey for (A, B) {
    #[inline]
    fn fingerprint(&self, secret: &Secret) -> u128 {
        secret.of(&[self.0.fingerprint(secret), self.1.fingerprint(secret)])
    }
}

#[diagnostic::do_not_recommend]
impl<A: DedupKey, B: DedupKey, C: DedupKey> DedupKey for (A, B, C) {
    #[inline]
    fn fingerprint(&self, secret: &Secret) -> u128 {
        let (a, b, c) = self;
        secret.of(&[a.fingerprint(secret), b.fingerprint(secret), c.fingerprint(secret)])
    }
}

/// The memory of one `.dedup` of one lane: the last `N` different keys.
///
/// Made when the lane starts, allocates then and never again; ends with the lane's epoch.
#[derive(Debug, Default)]
pub struct Dedup<const N: usize> {
    recent: RecentKeys<u128, N>,
    secret: Secret,
}

impl<const N: usize> Dedup<N> {
    /// The memory of one lane, in bytes.
    pub const BYTES: usize = RecentKeys::<u128, N>::BYTES;

    /// Remembers `key`; whether it was not among the last `N`.
    #[inline]
    pub fn first<K: DedupKey>(&mut self, key: &K) -> bool {
        self.recent.insert(key.fingerprint(&self.secret))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_same_whatever_owns_it_and_differs_from_its_neighbours() {
        let mut dedup = Dedup::<16>::default();
        assert!(dedup.first(&"order-1"));
        assert!(!dedup.first(&"order-1".to_owned()));
        assert!(!dedup.first(&Cow::Borrowed("order-1")));
        assert!(dedup.first(&"order-2"));
        let mut dedup = Dedup::<16>::default();
        for key in [(1_u32, "a"), (1, "b"), (2, "a")] {
            assert!(dedup.first(&key), "{key:?}");
            assert!(!dedup.first(&key), "{key:?} again");
        }
        let mut dedup = Dedup::<16>::default();
        for key in [(1_u8, 2_u8, 3_u8), (3, 2, 1), (1, 3, 2)] {
            assert!(dedup.first(&key), "{key:?}");
        }
    }

    #[test]
    fn negative_numbers_are_keys_of_their_own() {
        let mut dedup = Dedup::<8>::default();
        for key in [-1_i32, 1, i32::MIN, i32::MAX] {
            assert!(dedup.first(&key), "{key}");
        }
    }

    #[test]
    fn two_lanes_keep_the_same_text_as_different_bits() {
        let (a, b) = (Secret::default(), Secret::default());
        assert_ne!("order-1".fingerprint(&a), "order-1".fingerprint(&b));
        assert_eq!(7_u64.fingerprint(&a), 7_u64.fingerprint(&b), "an integer is kept as it is");
    }

    #[test]
    fn its_memory_is_the_same_whatever_the_keys_are() {
        assert_eq!(Dedup::<65_536>::BYTES, 65_536 * 16 + 131_072 * 4);
    }
}
