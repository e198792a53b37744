//! Integers: eight digits at a time.

use super::{Scan, Scanned};

/// Digits a `u64` always holds.
const DIGITS: usize = 19;
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// What up to 19 digits at the start of `bytes` say, and how many there are; leading zeros count.
#[inline(always)]
pub(super) fn digits(bytes: &[u8]) -> (u64, usize) {
    let Some(first) = bytes.first_chunk::<8>() else { return tail(bytes, 0, 0) };
    let (value, count) = eight(u64::from_le_bytes(*first));
    if count < 8 { (value, count) } else { many(bytes, value) }
}

/// The same from nine digits on.
#[inline(always)]
fn many(bytes: &[u8], first: u64) -> (u64, usize) {
    let Some(second) = bytes.get(8..).and_then(|bytes| bytes.first_chunk::<8>()) else {
        return tail(bytes, first, 8);
    };
    let (value, count) = eight(u64::from_le_bytes(*second));
    let value = first * POWERS[count] + value;
    if count < 8 { (value, 8 + count) } else { tail(bytes, value, 16) }
}

/// The same digit by digit, with `at` digits read.
#[inline(always)]
fn tail(bytes: &[u8], mut value: u64, mut at: usize) -> (u64, usize) {
    while at < DIGITS
        && let Some(digit @ b'0'..=b'9') = bytes.get(at)
    {
        value = value * 10 + u64::from(digit - b'0');
        at += 1;
    }
    (value, at)
}

const POWERS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// What the digits among the first eight bytes say, and how many there are.
///
/// Source: the three multiplications are those of D. Lemire, "Quickly parsing eight digits", 2018.
#[inline(always)]
const fn eight(word: u64) -> (u64, usize) {
    let digits = word ^ ZEROS;
    // The high bit of a byte above nine is set; a carry only reaches bytes behind the first one.
    let others = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
    let count = others.trailing_zeros() / 8;
    if count == 0 {
        return (0, 0);
    }
    let digits = digits << (64 - 8 * count);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    (low.wrapping_add(high) >> 32, count as usize)
}

/// A number without sign, fraction and exponent.
#[inline(always)]
fn natural(rest: &str) -> Scanned<'_, u64> {
    let bytes = rest.as_bytes();
    let (value, count) = digits(bytes);
    if count == 0 || (count > 1 && bytes[0] == b'0') {
        return None;
    }
    if count == DIGITS {
        return long(rest);
    }
    Some((value, rest.get(count..)?))
}

/// The same for 19 digits or more.
#[cold]
fn long(rest: &str) -> Scanned<'_, u64> {
    let count = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = rest.split_at_checked(count)?;
    Some((digits.parse().ok()?, rest))
}

/// What a number of 128 bits is made of: a sign where `signed`, and digits.
#[inline]
fn wide(rest: &str, signed: bool) -> Scanned<'_, &str> {
    let bytes = rest.as_bytes();
    let sign = usize::from(signed && bytes.first() == Some(&b'-'));
    let digits = bytes.get(sign..)?;
    let count = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if count == 0 || (digits[0] == b'0' && (count > 1 || sign > 0)) {
        return None;
    }
    rest.split_at_checked(sign + count)
}

macro_rules! unsigned {
    ($($t:ty),*) => {$(
        impl<'de> Scan<'de> for $t {
            type Plan = ();

            #[inline(always)]
            fn scan(rest: &'de str, (): &mut ()) -> Scanned<'de, Self> {
                let (value, rest) = natural(rest)?;
                Some((Self::try_from(value).ok()?, rest))
            }
        }
    )*};
}

macro_rules! signed {
    ($($t:ty),*) => {$(
        impl<'de> Scan<'de> for $t {
            type Plan = ();

            #[inline(always)]
            fn scan(rest: &'de str, (): &mut ()) -> Scanned<'de, Self> {
                let Some(rest) = rest.strip_prefix('-') else {
                    let (value, rest) = natural(rest)?;
                    return Some((Self::try_from(value).ok()?, rest));
                };
                // `-0` is a float.
                let (value, rest) = natural(rest).filter(|(value, _)| *value > 0)?;
                let value = 0_i64.checked_sub_unsigned(value)?;
                Some((Self::try_from(value).ok()?, rest))
            }
        }
    )*};
}

macro_rules! wide {
    ($($t:ty, $signed:expr;)*) => {$(
        impl<'de> Scan<'de> for $t {
            type Plan = ();
            const BUFFERED: bool = false;

            #[inline]
            fn scan(rest: &'de str, (): &mut ()) -> Scanned<'de, Self> {
                let (number, rest) = wide(rest, $signed)?;
                Some((number.parse().ok()?, rest))
            }
        }
    )*};
}

unsigned!(u8, u16, u32, u64, usize);
signed!(i8, i16, i32, i64, isize);
wide! { u128, false; i128, true; }
