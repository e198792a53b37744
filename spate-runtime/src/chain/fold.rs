//! A fast hash for tables in memory, seeded per table so that no input can choose its slots.
//!
//! Never for placement (that hash is pinned, see `shard_key`) and never as a key's identity.
//!
//! Source: the folded multiply of wyhash and foldhash.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Multiplies and folds 8 bytes at a time.
pub(crate) struct Folded(pub(crate) u64);

/// Makes [`Folded`] hashers with one random seed.
#[derive(Clone, Debug)]
pub(crate) struct Seeded(u64);

impl Default for Seeded {
    fn default() -> Self {
        Self(random_seed())
    }
}

impl BuildHasher for Seeded {
    type Hasher = Folded;

    #[inline]
    fn build_hasher(&self) -> Folded {
        Folded(self.0)
    }
}

/// 64 bits that nobody outside can guess.
pub(crate) fn random_seed() -> u64 {
    RandomState::new().hash_one(0)
}

impl Folded {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
    fn fold(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * u128::from(0x9e37_79b9_7f4a_7c15_u64);
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl Hasher for Folded {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.fold(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.fold(u64::from_le_bytes(last) ^ (bytes.len() as u64).rotate_left(56));
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.fold(u64::from(word));
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.fold(word);
    }

    #[inline]
    fn finish(&self) -> u64 {
        let folded = u128::from(self.0) * u128::from(0xd6e8_feb8_6659_fd93_u64);
        #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
        {
            folded as u64 ^ (folded >> 64) as u64
        }
    }
}
