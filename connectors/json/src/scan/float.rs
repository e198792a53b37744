//! Floats: the nearest value, as serde_json reads them with `float_roundtrip`.
//!
//! Digits that a float holds exactly, over a power of ten that it holds exactly, are the nearest
//! value after one division (W. Clinger, "How to read floating point numbers accurately", 1990).
//! The rest is left to the standard library, which is exact too.

use super::integer::digits;
use super::skip::number_len;
use super::{Scan, Scanned};

macro_rules! floats {
    ($($t:ty, $exact:expr, $powers:expr, $buffered:expr;)*) => {$(
        impl<'de> Scan<'de> for $t {
            type Plan = ();
            const BUFFERED: bool = $buffered;

            #[inline(always)]
            fn scan(rest: &'de str, (): &mut ()) -> Scanned<'de, Self> {
                const POWERS: [$t; $powers] = {
                    let mut powers = [1.0; $powers];
                    let mut index = 1;
                    while index < $powers {
                        powers[index] = powers[index - 1] * 10.0;
                        index += 1;
                    }
                    powers
                };
                if let Some((negative, number, places, len)) = short(rest.as_bytes())
                    && number <= $exact
                    && let Some(power) = POWERS.get(places)
                {
                    #[expect(clippy::cast_precision_loss, reason = "held exactly")]
                    let value = number as Self / power;
                    let value = if negative { -value } else { value };
                    return Some((value, rest.get(len..)?));
                }
                let (number, rest) = rest.split_at_checked(number_len(rest.as_bytes())?)?;
                let value: Self = number.parse().ok()?;
                value.is_finite().then_some((value, rest))
            }
        }
    )*};
}

/// A number of at most 19 digits without exponent: whether it has a sign, its digits, how many of
/// them are decimal places, and its length.
#[inline(always)]
fn short(bytes: &[u8]) -> Option<(bool, u64, usize, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let whole = bytes.get(start..)?;
    let (mut number, count) = digits(whole);
    if count == 0 || count > 9 || (count > 1 && whole[0] == b'0') {
        return None;
    }
    let mut len = start + count;
    let mut places = 0;
    if bytes.get(len) == Some(&b'.') {
        let (fraction, count) = digits(bytes.get(len + 1..)?);
        if count == 0 || count > 9 {
            return None;
        }
        places = count;
        len += 1 + count;
        number = number * TENS[count] + fraction;
    }
    let exponent = matches!(bytes.get(len), Some(b'e' | b'E'));
    (!exponent).then_some((negative, number, places, len))
}

const TENS: [u64; 10] =
    [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

floats! {
    f64, 1 << 53, 23, true;
    // serde reads a buffered one by way of an f64: another nearest value.
    f32, 1 << 24, 11, false;
}
