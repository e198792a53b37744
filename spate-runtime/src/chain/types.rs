//! Values that the standard library has no type for: bytes, UUIDs, maps with a rule.

use std::fmt;
use std::str::FromStr;

use super::row::{DataType, EncodeError, Value, ValueEncoder};

/// Bytes of any content and length, borrowed; in ClickHouse a `String`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Bytes<'a>(pub &'a [u8]);

impl Value for Bytes<'_> {
    const DATA_TYPE: DataType = DataType::Bytes;

    #[inline]
    fn binary_bound(&self) -> usize {
        super::value::LENGTH_BOUND + self.0.len()
    }

    #[inline]
    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        encoder.bytes(self.0)
    }
}

/// Exactly `N` bytes; in ClickHouse a `FixedString(N)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FixedBytes<const N: usize>(pub [u8; N]);

impl<const N: usize> From<[u8; N]> for FixedBytes<N> {
    fn from(bytes: [u8; N]) -> Self {
        Self(bytes)
    }
}

impl<const N: usize> Value for FixedBytes<N> {
    const DATA_TYPE: DataType = DataType::FixedBytes(N);

    #[inline]
    fn binary_bound(&self) -> usize {
        N
    }

    #[inline]
    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        encoder.fixed_bytes(&self.0)
    }
}

/// A UUID, its bytes in the order the text reads.
///
/// ```
/// use spate_runtime::chain::types::Uuid;
///
/// let id: Uuid = "01234567-89ab-cdef-fedc-ba9876543210".parse().unwrap();
/// assert_eq!(id.to_string(), "01234567-89ab-cdef-fedc-ba9876543210");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Uuid(pub [u8; 16]);

impl Uuid {
    /// From a number whose hexadecimal digits are the text without its hyphens.
    #[must_use]
    pub const fn from_u128(number: u128) -> Self {
        Self(number.to_be_bytes())
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, byte) in self.0.iter().enumerate() {
            if let 4 | 6 | 8 | 10 = index {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// A text is no UUID: 32 hexadecimal digits, with hyphens after 8, 12, 16 and 20 or without any.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a uuid")]
pub struct ParseUuidError;

impl FromStr for Uuid {
    type Err = ParseUuidError;

    fn from_str(text: &str) -> Result<Self, ParseUuidError> {
        let text = text.as_bytes();
        let hyphens = match text.len() {
            36 => true,
            32 => false,
            _ => return Err(ParseUuidError),
        };
        let mut number = 0u128;
        for (index, &byte) in text.iter().enumerate() {
            if hyphens && matches!(index, 8 | 13 | 18 | 23) {
                if byte != b'-' {
                    return Err(ParseUuidError);
                }
                continue;
            }
            let digit = char::from(byte).to_digit(16).ok_or(ParseUuidError)?;
            number = (number << 4) | u128::from(digit);
        }
        Ok(Self::from_u128(number))
    }
}

impl Value for Uuid {
    const DATA_TYPE: DataType = DataType::Uuid;

    #[inline]
    fn binary_bound(&self) -> usize {
        16
    }

    #[inline]
    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        encoder.uuid(self.0)
    }
}

#[diagnostic::do_not_recommend]
impl super::shard_key::ShardKey for Uuid {
    #[inline]
    fn shard_hash(&self) -> u64 {
        self.0.shard_hash()
    }
}

/// Keys with values, in order; of entries with equal keys the last one is written.
///
/// A warehouse may keep both and answer with either, so one of them has to go before the row is
/// encoded (R093). For a slice, an array or a `Vec` of pairs.
///
/// Cost: every key is compared with those behind it; for more than a few dozen entries a
/// `BTreeMap`, whose keys differ by nature, is the better value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Map<P>(pub P);

/// What [`Map`] can be made of.
pub trait Pairs {
    /// The keys.
    type Key: Value + PartialEq;
    /// The values.
    type Val: Value;

    /// All entries in order.
    fn pairs(&self) -> &[(Self::Key, Self::Val)];
}

impl<K: Value + PartialEq, V: Value> Pairs for &[(K, V)] {
    type Key = K;
    type Val = V;

    fn pairs(&self) -> &[(K, V)] {
        self
    }
}

impl<K: Value + PartialEq, V: Value> Pairs for Vec<(K, V)> {
    type Key = K;
    type Val = V;

    fn pairs(&self) -> &[(K, V)] {
        self
    }
}

impl<K: Value + PartialEq, V: Value, const N: usize> Pairs for [(K, V); N] {
    type Key = K;
    type Val = V;

    fn pairs(&self) -> &[(K, V)] {
        self
    }
}

/// The entries whose key does not come again.
fn last_of_each<K: PartialEq, V>(pairs: &[(K, V)]) -> impl Iterator<Item = &(K, V)> {
    pairs
        .iter()
        .enumerate()
        .filter(|(index, (key, _))| pairs[index + 1..].iter().all(|(later, _)| later != key))
        .map(|(_, pair)| pair)
}

impl<P: Pairs> Value for Map<P> {
    const DATA_TYPE: DataType = DataType::Map(&P::Key::DATA_TYPE, &P::Val::DATA_TYPE);

    fn binary_bound(&self) -> usize {
        let bounds = |(key, value): &(P::Key, P::Val)| key.binary_bound() + value.binary_bound();
        super::value::LENGTH_BOUND + self.0.pairs().iter().map(bounds).sum::<usize>()
    }

    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        let pairs = self.0.pairs();
        encoder.map_begin(last_of_each(pairs).count())?;
        for (key, value) in last_of_each(pairs) {
            encoder.map_key()?;
            key.encode(encoder)?;
            encoder.map_value()?;
            value.encode(encoder)?;
        }
        encoder.map_end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_reads_as_it_prints() {
        let text = "01234567-89ab-cdef-fedc-ba9876543210";
        let id: Uuid = text.parse().unwrap();
        assert_eq!(id.to_string(), text);
        assert_eq!(text.replace('-', "").parse(), Ok(id));
        for text in [
            "",
            "01234567-89ab-cdef-fedc-ba987654321",
            "01234567x89ab-cdef-fedc-ba9876543210",
            "g1234567-89ab-cdef-fedc-ba9876543210",
        ] {
            assert_eq!(text.parse::<Uuid>(), Err(ParseUuidError), "{text}");
        }
    }

    /// R093: the last of two equal keys wins.
    #[test]
    fn r093_of_equal_keys_the_last_is_kept_in_its_place() {
        let kept = |pairs: &[(&'static str, u8)]| last_of_each(pairs).copied().collect::<Vec<_>>();
        assert_eq!(kept(&[("a", 1), ("a", 2)]), [("a", 2)]);
        assert_eq!(kept(&[("a", 1), ("b", 2), ("a", 3), ("c", 4)]), [("b", 2), ("a", 3), ("c", 4)]);
        assert_eq!(kept(&[]), []);
    }
}
