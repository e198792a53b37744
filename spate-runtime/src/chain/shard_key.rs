//! Shard keys: how a row's key becomes a shard. Placement is a contract, so the hash is pinned.
//!
//! Integers are mixed by the finaliser of MurmurHash3 (`fmix64`), strings and bytes by XXH64 with
//! seed 0 over 8 bytes at a time. Changing either moves rows between shards.
//!
//! Source: <https://github.com/aappleby/smhasher> (fmix64), <https://github.com/Cyan4973/xxHash>.

use std::borrow::Cow;

use super::row::Sharding;
use crate::config::nearest::same;
use crate::line::Line;

/// A key that rows are routed by, and records sampled by. `f64` is none: NaN and -0.0 have no one
/// place.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key to route or to sample by [P046]",
    label = "no such key",
    note = "help: key by an integer, a string or a uuid"
)]
pub trait ShardKey {
    /// 64 well-mixed bits, the same on every machine and in every version.
    fn shard_hash(&self) -> u64;
}

/// Refuses a key that the table does not shard by (P048). For builds.
///
/// `kind` is the sink's connector, `sink` its name, `key` a field of its row.
///
/// # Panics
///
/// With a message that begins with the place in the DDL file.
#[track_caller]
pub const fn assert_sharding(sharding: Option<Sharding>, kind: &str, sink: &str, key: &str) {
    let Some(Sharding { sink: of, at, expression, fields }) = sharding else { return };
    if !same(of, kind) || fields.is_empty() {
        return;
    }
    let mut i = 0;
    while i < fields.len() {
        if same(fields[i], key) {
            return;
        }
        i += 1;
    }
    let line = Line::new()
        .push(at)
        .push(": the table shards by `")
        .push_short(expression, 120)
        .push("`, sink `")
        .push(sink)
        .push("` by `")
        .push(key)
        .push("` [P048]\n  help: write `key = ")
        .push(fields[0])
        .push("`, or leave the expression out of the file if nobody inserts by it");
    panic!("{}", line.as_str())
}

#[inline]
pub(crate) const fn mix(mut k: u64) -> u64 {
    k ^= k >> 33;
    k = k.wrapping_mul(0xff51_afd7_ed55_8ccd);
    k ^= k >> 33;
    k = k.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ (k >> 33)
}

macro_rules! integer_keys {
    ($($t:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl ShardKey for $t {
            #[inline]
            fn shard_hash(&self) -> u64 {
                mix(u64::from(*self))
            }
        }
    )*};
}
integer_keys!(u8, u16, u32, u64);

macro_rules! signed_keys {
    ($($t:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl ShardKey for $t {
            #[inline]
            fn shard_hash(&self) -> u64 {
                mix(i64::from(*self).cast_unsigned())
            }
        }
    )*};
}
signed_keys!(i8, i16, i32, i64);

#[diagnostic::do_not_recommend]
impl ShardKey for [u8] {
    #[inline]
    fn shard_hash(&self) -> u64 {
        xxh64(self)
    }
}

#[diagnostic::do_not_recommend]
impl ShardKey for str {
    #[inline]
    fn shard_hash(&self) -> u64 {
        xxh64(self.as_bytes())
    }
}

#[diagnostic::do_not_recommend]
impl ShardKey for String {
    #[inline]
    fn shard_hash(&self) -> u64 {
        xxh64(self.as_bytes())
    }
}

#[diagnostic::do_not_recommend]
impl<const N: usize> ShardKey for [u8; N] {
    #[inline]
    fn shard_hash(&self) -> u64 {
        xxh64(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: ShardKey + ?Sized> ShardKey for &T {
    #[inline]
    fn shard_hash(&self) -> u64 {
        (**self).shard_hash()
    }
}

#[diagnostic::do_not_recommend]
impl<T: ShardKey + ToOwned + ?Sized> ShardKey for Cow<'_, T> {
    #[inline]
    fn shard_hash(&self) -> u64 {
        (**self).shard_hash()
    }
}

/// XXH64 with seed 0.
fn xxh64(bytes: &[u8]) -> u64 {
    const P1: u64 = 0x9e37_79b1_85eb_ca87;
    const P2: u64 = 0xc2b2_ae3d_27d4_eb4f;
    const P3: u64 = 0x1656_67b1_9e37_79f9;
    const P4: u64 = 0x85eb_ca77_c2b2_ae63;
    const P5: u64 = 0x27d4_eb2f_1656_67c5;
    fn round(acc: u64, lane: u64) -> u64 {
        acc.wrapping_add(lane.wrapping_mul(P2))
            .rotate_left(31)
            .wrapping_mul(P1)
    }
    fn merge(hash: u64, acc: u64) -> u64 {
        (hash ^ round(0, acc)).wrapping_mul(P1).wrapping_add(P4)
    }

    let (stripes, mut rest) = bytes.as_chunks::<32>();
    let mut hash = if stripes.is_empty() {
        P5
    } else {
        let mut acc = [P1.wrapping_add(P2), P2, 0, 0u64.wrapping_sub(P1)];
        for stripe in stripes {
            let (words, _) = stripe.as_chunks::<8>();
            for (acc, word) in acc.iter_mut().zip(words) {
                *acc = round(*acc, u64::from_le_bytes(*word));
            }
        }
        let mut hash = acc[0]
            .rotate_left(1)
            .wrapping_add(acc[1].rotate_left(7))
            .wrapping_add(acc[2].rotate_left(12))
            .wrapping_add(acc[3].rotate_left(18));
        for acc in acc {
            hash = merge(hash, acc);
        }
        hash
    };
    hash = hash.wrapping_add(bytes.len() as u64);

    while let Some((word, after)) = rest.split_first_chunk::<8>() {
        hash = (hash ^ round(0, u64::from_le_bytes(*word)))
            .rotate_left(27)
            .wrapping_mul(P1)
            .wrapping_add(P4);
        rest = after;
    }
    if let Some((word, after)) = rest.split_first_chunk::<4>() {
        hash = (hash ^ u64::from(u32::from_le_bytes(*word)).wrapping_mul(P1))
            .rotate_left(23)
            .wrapping_mul(P2)
            .wrapping_add(P3);
        rest = after;
    }
    for &byte in rest {
        hash = (hash ^ u64::from(byte).wrapping_mul(P5))
            .rotate_left(11)
            .wrapping_mul(P1);
    }

    hash = (hash ^ (hash >> 33)).wrapping_mul(P2);
    hash = (hash ^ (hash >> 29)).wrapping_mul(P3);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference vectors of XXH64, seed 0.
    #[test]
    fn strings_hash_as_xxh64_says() {
        let cases: [(&str, u64); 4] = [
            ("", 0xef46_db37_51d8_e999),
            ("a", 0xd24e_c4f1_a98c_6e5b),
            ("abc", 0x44bc_2cf5_ad77_0999),
            ("Nobody inspects the spammish repetition", 0xfbce_a83c_8a37_8bf1),
        ];
        for (text, hash) in cases {
            assert_eq!(text.shard_hash(), hash, "of {text:?}");
        }
    }

    #[test]
    fn a_key_hashes_the_same_whatever_owns_it() {
        let text = "customer-17";
        assert_eq!(text.shard_hash(), text.to_owned().shard_hash());
        assert_eq!(text.shard_hash(), Cow::Borrowed(text).shard_hash());
        assert_eq!(text.shard_hash(), text.as_bytes().shard_hash());
    }

    #[test]
    fn an_integer_hashes_the_same_whatever_its_width() {
        assert_eq!(7u8.shard_hash(), 7u64.shard_hash());
        assert_eq!((-7i8).shard_hash(), (-7i64).shard_hash());
    }

    #[test]
    fn a_key_is_held_against_what_the_table_shards_by() {
        let sharding = Sharding {
            sink: "ClickHouse",
            at: "lines.sql:9:50",
            expression: "cityHash64(customer, region)",
            fields: &["customer", "region"],
        };
        assert_sharding(None, "ClickHouse", "lines", "id");
        assert_sharding(Some(sharding), "File", "lines", "id");
        assert_sharding(Some(sharding), "ClickHouse", "lines", "region");
        assert_sharding(Some(Sharding { fields: &[], ..sharding }), "ClickHouse", "lines", "id");
        let refused = std::panic::catch_unwind(|| {
            assert_sharding(Some(sharding), "ClickHouse", "lines", "id");
        });
        assert_eq!(
            refused.unwrap_err().downcast_ref::<String>().unwrap(),
            "lines.sql:9:50: the table shards by `cityHash64(customer, region)`, sink `lines` by `id` [P048]\n  help: write `key = customer`, or leave the expression out of the file if nobody inserts by it"
        );
    }
}
