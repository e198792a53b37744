//! 256-bit integers as values: carried, compared and printed, not computed with.
//!
//! Two halves of 128 bits each, two's complement. Nothing here allocates but `Display`'s caller.

use std::fmt;
use std::str::FromStr;

use super::row::{DataType, EncodeError, Value, ValueEncoder};

/// A signed 256-bit integer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Int256 {
    high: i128,
    low: u128,
}

/// An unsigned 256-bit integer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct UInt256 {
    high: u128,
    low: u128,
}

impl Int256 {
    /// Puts the number together from its upper half, with the sign, and its lower half.
    #[must_use]
    pub const fn from_halves(high: i128, low: u128) -> Self {
        Self { high, low }
    }

    /// Little-endian two's complement of full width.
    #[must_use]
    pub const fn to_le_bytes(self) -> [u8; 32] {
        join(self.high.cast_unsigned(), self.low)
    }

    /// The number those bytes are: little-endian two's complement.
    #[must_use]
    pub const fn from_le_bytes(bytes: [u8; 32]) -> Self {
        let (high, low) = split(bytes);
        Self { high: high.cast_signed(), low }
    }

    const fn magnitude(self) -> UInt256 {
        if self.high < 0 {
            return self.negated_bits();
        }
        UInt256 { high: self.high.cast_unsigned(), low: self.low }
    }

    /// Two's complement of the bits.
    const fn negated_bits(self) -> UInt256 {
        let (low, carry) = (!self.low).overflowing_add(1);
        UInt256 { high: (!self.high).cast_unsigned().wrapping_add(carry as u128), low }
    }
}

impl UInt256 {
    /// Puts the number together from its halves.
    #[must_use]
    pub const fn from_halves(high: u128, low: u128) -> Self {
        Self { high, low }
    }

    /// Little-endian, full width.
    #[must_use]
    pub const fn to_le_bytes(self) -> [u8; 32] {
        join(self.high, self.low)
    }

    /// The number those bytes are: little-endian.
    #[must_use]
    pub const fn from_le_bytes(bytes: [u8; 32]) -> Self {
        let (high, low) = split(bytes);
        Self { high, low }
    }

    /// `self * 10 + digit`, unless that needs more than 256 bits.
    fn push_digit(self, digit: u8) -> Option<Self> {
        let wide = |v: u128, carry: u128| {
            let low = (v & LOW_64) * 10 + carry;
            let high = (v >> 64) * 10 + (low >> 64);
            ((high << 64) | (low & LOW_64), high >> 64)
        };
        let (low, carry) = wide(self.low, u128::from(digit));
        let (high, carry) = wide(self.high, carry);
        (carry == 0).then_some(Self { high, low })
    }

    /// The quotient and the remainder of a division by 10^18.
    fn divide(self) -> (Self, u64) {
        let mut rest = 0u128;
        let mut limb = |half: u128, shift: u32| {
            let value = (rest << 64) | ((half >> shift) & LOW_64);
            rest = value % CHUNK;
            value / CHUNK
        };
        let high = (limb(self.high, 64) << 64) | limb(self.high, 0);
        let low = (limb(self.low, 64) << 64) | limb(self.low, 0);
        let rest = u64::try_from(rest).expect("a remainder is below its divisor, 10^18");
        (Self { high, low }, rest)
    }
}

/// What `Display` prints at a time: the largest power of ten below 2^64 with a round exponent.
const CHUNK: u128 = 1_000_000_000_000_000_000;
const LOW_64: u128 = 0xffff_ffff_ffff_ffff;

const fn join(high: u128, low: u128) -> [u8; 32] {
    let (mut bytes, high, low) = ([0; 32], high.to_le_bytes(), low.to_le_bytes());
    let mut i = 0;
    while i < 16 {
        bytes[i] = low[i];
        bytes[16 + i] = high[i];
        i += 1;
    }
    bytes
}

const fn split(bytes: [u8; 32]) -> (u128, u128) {
    let (mut high, mut low) = ([0; 16], [0; 16]);
    let mut i = 0;
    while i < 16 {
        low[i] = bytes[i];
        high[i] = bytes[16 + i];
        i += 1;
    }
    (u128::from_le_bytes(high), u128::from_le_bytes(low))
}

impl From<i128> for Int256 {
    fn from(v: i128) -> Self {
        Self { high: v >> 127, low: v.cast_unsigned() }
    }
}

impl From<u128> for UInt256 {
    fn from(v: u128) -> Self {
        Self { high: 0, low: v }
    }
}

impl fmt::Display for UInt256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut chunks = [0u64; 5];
        let mut len = 0;
        let mut rest = *self;
        loop {
            (rest, chunks[len]) = rest.divide();
            len += 1;
            if rest == Self::default() {
                break;
            }
        }
        write!(f, "{}", chunks[len - 1])?;
        chunks[..len - 1]
            .iter()
            .rev()
            .try_for_each(|chunk| write!(f, "{chunk:018}"))
    }
}

impl fmt::Display for Int256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.high < 0 {
            f.write_str("-")?;
        }
        self.magnitude().fmt(f)
    }
}

/// A text is no 256-bit integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a whole number of 256 bits")]
pub struct ParseInt256Error;

impl FromStr for UInt256 {
    type Err = ParseInt256Error;

    fn from_str(text: &str) -> Result<Self, ParseInt256Error> {
        if text.is_empty() {
            return Err(ParseInt256Error);
        }
        text.bytes()
            .try_fold(Self::default(), |number, byte| {
                byte.is_ascii_digit()
                    .then(|| number.push_digit(byte - b'0'))?
            })
            .ok_or(ParseInt256Error)
    }
}

impl FromStr for Int256 {
    type Err = ParseInt256Error;

    fn from_str(text: &str) -> Result<Self, ParseInt256Error> {
        let (digits, negative) = text
            .strip_prefix('-')
            .map_or((text, false), |digits| (digits, true));
        let UInt256 { high, low } = digits.parse()?;
        let number = Self { high: high.cast_signed(), low };
        let value = if negative {
            let UInt256 { high, low } = number.negated_bits();
            Self { high: high.cast_signed(), low }
        } else {
            number
        };
        let fits = (value.high < 0) == negative || value == Self::default();
        fits.then_some(value).ok_or(ParseInt256Error)
    }
}

impl Value for Int256 {
    const DATA_TYPE: DataType = DataType::Int256;

    #[inline]
    fn binary_bound(&self) -> usize {
        32
    }

    #[inline]
    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        encoder.int256(*self)
    }
}

impl Value for UInt256 {
    const DATA_TYPE: DataType = DataType::UInt256;

    #[inline]
    fn binary_bound(&self) -> usize {
        32
    }

    #[inline]
    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        encoder.uint256(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_text_and_bytes() {
        let max = "57896044618658097711785492504343953926634992332820282019728792003956564819967";
        let min = "-57896044618658097711785492504343953926634992332820282019728792003956564819968";
        for text in [
            "0",
            "-1",
            "-2",
            "1000000000000000000",
            "-340282366920938463463374607431768211456",
            max,
            min,
        ] {
            let number: Int256 = text.parse().unwrap();
            assert_eq!(number.to_string(), text);
            assert_eq!(Int256::from_le_bytes(number.to_le_bytes()), number);
        }
        let max = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
        assert_eq!(max.parse::<UInt256>().unwrap(), UInt256::from_halves(u128::MAX, u128::MAX));
        assert_eq!(UInt256::from_halves(u128::MAX, u128::MAX).to_string(), max);
    }

    #[test]
    fn the_sign_reaches_the_upper_half() {
        assert_eq!(Int256::from(-2i128).to_string(), "-2");
        assert_eq!(Int256::from(i128::MIN).to_string(), i128::MIN.to_string());
        assert!(Int256::from(-1i128) < Int256::from(0i128));
    }

    #[test]
    fn what_needs_more_bits_is_refused() {
        let over = "57896044618658097711785492504343953926634992332820282019728792003956564819968";
        let under =
            "-57896044618658097711785492504343953926634992332820282019728792003956564819969";
        for text in [over, under, "", "-", "1e3", "+1", "--1"] {
            assert_eq!(text.parse::<Int256>(), Err(ParseInt256Error), "{text}");
        }
        let over = "115792089237316195423570985008687907853269984665640564039457584007913129639936";
        assert_eq!(over.parse::<UInt256>(), Err(ParseInt256Error));
    }
}
