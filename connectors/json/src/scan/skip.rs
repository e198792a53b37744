//! Values that nobody asked for: where they end.
//!
//! Narrower than serde_json where it passes over a value, as narrow as where it buffers one, which
//! it does around a tag: half a surrogate and a number that may not be finite are surprises.

use super::{blanks, more, open};

/// Levels a value may have; deeper ones are a surprise. Well below serde_json's 128, the levels
/// around the value counted in.
const LEVELS: u32 = 32;

/// What follows the value at the start of `rest`.
#[inline]
#[must_use]
pub fn skip(rest: &str) -> Option<&str> {
    value(rest, LEVELS)
}

fn value(rest: &str, levels: u32) -> Option<&str> {
    match rest.as_bytes().first()? {
        b'"' => string(rest),
        b'{' => object(rest, levels.checked_sub(1)?),
        b'[' => array(rest, levels.checked_sub(1)?),
        b't' => rest.strip_prefix("true"),
        b'f' => rest.strip_prefix("false"),
        b'n' => rest.strip_prefix("null"),
        _ => {
            let (number, rest) = rest.split_at_checked(number_len(rest.as_bytes())?)?;
            finite(number).then_some(rest)
        }
    }
}

/// Whether `number` is surely finite: so many digits, and an exponent of two digits, if any.
fn finite(number: &str) -> bool {
    let exponent = number
        .bytes()
        .rev()
        .position(|byte| matches!(byte, b'e' | b'E'));
    number.len() <= 200 && exponent.is_none_or(|digits| digits <= 2)
}

fn object(rest: &str, levels: u32) -> Option<&str> {
    let (mut another, mut rest) = open(rest, ['{', '}'])?;
    while another {
        let colon = blanks(string(rest)?);
        let after = value(blanks(colon.strip_prefix(':')?), levels)?;
        (another, rest) = more(after, '}')?;
    }
    Some(rest)
}

fn array(rest: &str, levels: u32) -> Option<&str> {
    let (mut another, mut rest) = open(rest, ['[', ']'])?;
    while another {
        (another, rest) = more(value(rest, levels)?, ']')?;
    }
    Some(rest)
}

/// What follows a string; its escapes are well-formed, whether they make sense or not.
fn string(rest: &str) -> Option<&str> {
    let mut rest = rest.strip_prefix('"')?;
    loop {
        rest = rest.get(super::text::plain(rest.as_bytes())..)?;
        let escape = match rest.strip_prefix('"') {
            Some(rest) => return Some(rest),
            None => rest.strip_prefix('\\')?,
        };
        rest = match escape.as_bytes().first()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => escape.get(1..)?,
            b'u' => unicode(escape)?,
            _ => return None,
        };
    }
}

/// What follows four hexadecimal digits, or eight that are one character together.
fn unicode(escape: &str) -> Option<&str> {
    let half = |at: usize| {
        let digits = escape.as_bytes().get(at..at + 4)?.iter();
        digits
            .copied()
            .try_fold(0, |number, digit| Some(number << 4 | char::from(digit).to_digit(16)?))
    };
    match half(1)? {
        0xd800..=0xdbff => {
            let pair = escape.get(5..7)? == "\\u" && matches!(half(7)?, 0xdc00..=0xdfff);
            if pair { escape.get(11..) } else { None }
        }
        0xdc00..=0xdfff => None,
        _ => escape.get(5..),
    }
}

/// The length of the number at the start of `bytes`.
pub(super) fn number_len(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize| {
        let digits = bytes.get(from..)?.iter();
        let count = digits.take_while(|byte| byte.is_ascii_digit()).count();
        (count > 0).then_some(from + count)
    };
    let start = usize::from(bytes.first() == Some(&b'-'));
    let mut end = digits(start)?;
    if bytes[start] == b'0' && end > start + 1 {
        return None;
    }
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = matches!(bytes.get(end + 1), Some(b'+' | b'-'));
        end = digits(end + 1 + usize::from(sign))?;
    }
    Some(end)
}
