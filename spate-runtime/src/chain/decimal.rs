//! Decimal numbers of fixed precision and scale.
//!
//! A decimal is a whole number of its smallest unit. Changing the scale is exact or refused, never
//! rounded: a price that loses a digit is another price.

use std::fmt;
use std::str::FromStr;

use super::row::{DataType, EncodeError, Value, ValueEncoder};

/// A number of `P` digits in all, `S` of them after the point.
///
/// `P` goes up to 76 as in ClickHouse; the value itself is held in 128 bits, so of a wider decimal
/// the 38 last digits can be used. Whether it has at most `P` digits is checked when it is encoded.
///
/// ```
/// use spate_runtime::chain::decimal::Decimal;
///
/// let price: Decimal<18, 2> = "12.34".parse().unwrap();
/// assert_eq!(price.unscaled(), 1234);
/// assert_eq!(price.rescale::<18, 4>().unwrap().unscaled(), 123_400);
/// assert_eq!(price.rescale::<18, 1>(), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Decimal<const P: u8, const S: u8>(i128);

impl<const P: u8, const S: u8> Decimal<P, S> {
    /// A decimal has 1 to 76 digits, at most all of them after the point.
    const VALID: bool = P >= 1 && P <= 76 && S <= P;

    /// The number that is `unscaled` times 10^-S.
    #[must_use]
    pub const fn from_unscaled(unscaled: i128) -> Self {
        const {
            assert!(
                Self::VALID,
                "a decimal has 1 to 76 digits, at most all of them after the point"
            )
        };
        Self(unscaled)
    }

    /// The number in units of 10^-S.
    #[must_use]
    pub const fn unscaled(self) -> i128 {
        self.0
    }

    /// A whole number; `None` if it does not fit 128 bits once scaled.
    #[must_use]
    pub const fn from_int(whole: i64) -> Option<Self> {
        const {
            assert!(
                Self::VALID,
                "a decimal has 1 to 76 digits, at most all of them after the point"
            )
        };
        match power_of_ten(S) {
            Some(unit) => match (whole as i128).checked_mul(unit) {
                Some(unscaled) => Some(Self(unscaled)),
                None => None,
            },
            None => None,
        }
    }

    /// The same number at another scale; `None` if a digit would be lost.
    #[must_use]
    pub const fn rescale<const P2: u8, const S2: u8>(self) -> Option<Decimal<P2, S2>> {
        const { assert!(Decimal::<P2, S2>::VALID, "a decimal has 1 to 76 digits") };
        let Some(factor) = power_of_ten(S.abs_diff(S2)) else {
            return if self.0 == 0 { Some(Decimal(0)) } else { None };
        };
        let unscaled = if S2 >= S {
            self.0.checked_mul(factor)
        } else if self.0 % factor == 0 {
            Some(self.0 / factor)
        } else {
            None
        };
        match unscaled {
            Some(unscaled) => Some(Decimal(unscaled)),
            None => None,
        }
    }
}

/// 10^exponent, if it fits 128 bits.
#[must_use]
pub const fn power_of_ten(exponent: u8) -> Option<i128> {
    10i128.checked_pow(exponent as u32)
}

impl<const P: u8, const S: u8> fmt::Display for Decimal<P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let magnitude = self.0.unsigned_abs();
        let width = usize::from(S);
        match 10u128.checked_pow(u32::from(S)) {
            _ if S == 0 => write!(f, "{sign}{magnitude}"),
            Some(unit) => write!(f, "{sign}{}.{:0width$}", magnitude / unit, magnitude % unit),
            None => write!(f, "{sign}0.{magnitude:0width$}"),
        }
    }
}

/// A text is no decimal of that precision and scale.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseDecimalError {
    /// Not digits with at most one point and a sign.
    #[error("not a decimal number")]
    Malformed,
    /// More digits than the type holds.
    #[error("more digits than the decimal has")]
    TooLarge,
    /// More digits after the point than the type holds, and not zeros.
    #[error("more digits after the point than the decimal has")]
    TooFine,
}

impl<const P: u8, const S: u8> FromStr for Decimal<P, S> {
    type Err = ParseDecimalError;

    fn from_str(text: &str) -> Result<Self, ParseDecimalError> {
        const {
            assert!(
                Self::VALID,
                "a decimal has 1 to 76 digits, at most all of them after the point"
            )
        };
        let (digits, sign) = text
            .strip_prefix('-')
            .map_or((text, 1), |digits| (digits, -1));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() && fraction.is_empty() || !digits(whole) || !digits(fraction) {
            return Err(ParseDecimalError::Malformed);
        }
        let (kept, lost) = fraction.split_at(fraction.len().min(usize::from(S)));
        if lost.bytes().any(|byte| byte != b'0') {
            return Err(ParseDecimalError::TooFine);
        }
        let padding = usize::from(S) - kept.len();
        let unscaled = whole
            .bytes()
            .chain(kept.bytes())
            .chain(std::iter::repeat_n(b'0', padding))
            .try_fold(0i128, |number, byte| {
                number
                    .checked_mul(10)?
                    .checked_add(sign * i128::from(byte - b'0'))
            })
            .ok_or(ParseDecimalError::TooLarge)?;
        match power_of_ten(P) {
            Some(limit) if unscaled <= -limit || unscaled >= limit => {
                Err(ParseDecimalError::TooLarge)
            }
            _ => Ok(Self(unscaled)),
        }
    }
}

impl<const P: u8, const S: u8> Value for Decimal<P, S> {
    const DATA_TYPE: DataType = {
        assert!(Self::VALID);
        DataType::Decimal { precision: P, scale: S }
    };

    #[inline]
    fn binary_bound(&self) -> usize {
        if P <= 9 {
            4
        } else if P <= 18 {
            8
        } else if P <= 38 {
            16
        } else {
            32
        }
    }

    #[inline]
    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        encoder.decimal(self.0, P, S)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_and_print_exactly() {
        for (text, unscaled) in [
            ("12.34", 1234),
            ("-0.05", -5),
            ("0.00", 0),
            ("-1234567890123456789.50", -123_456_789_012_345_678_950),
        ] {
            let number: Decimal<38, 2> = text.parse().unwrap();
            assert_eq!(number.unscaled(), unscaled);
            assert_eq!(number.to_string(), text);
        }
        assert_eq!("7".parse::<Decimal<9, 0>>().unwrap().to_string(), "7");
        assert_eq!(Decimal::<76, 60>::from_unscaled(5).to_string(), format!("0.{:060}", 5));
    }

    #[test]
    fn a_digit_is_never_lost() {
        assert_eq!("1.005".parse::<Decimal<9, 2>>(), Err(ParseDecimalError::TooFine));
        assert_eq!("1.500".parse::<Decimal<9, 1>>().unwrap().unscaled(), 15);
        assert_eq!("10".parse::<Decimal<2, 1>>(), Err(ParseDecimalError::TooLarge));
        assert_eq!("9.9".parse::<Decimal<2, 1>>().unwrap().unscaled(), 99);
        for text in ["", "-", ".", "1.2.3", "1e2", "+1", "١"] {
            assert_eq!(text.parse::<Decimal<9, 2>>(), Err(ParseDecimalError::Malformed), "{text}");
        }
    }

    /// R081: rescale exactly or refuse.
    #[test]
    fn r081_a_scale_changes_exactly_or_not_at_all() {
        let price: Decimal<18, 2> = "12.34".parse().unwrap();
        assert_eq!(price.rescale::<18, 4>().unwrap().unscaled(), 123_400);
        assert_eq!(price.rescale::<18, 1>(), None);
        assert_eq!(Decimal::<38, 0>::from_unscaled(i128::MAX).rescale::<38, 1>(), None);
        assert_eq!(Decimal::<18, 2>::from_int(-3).unwrap().unscaled(), -300);
    }
}
