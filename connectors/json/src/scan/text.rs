//! Texts: where they end, eight bytes at a time.

use super::Scanned;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// A text without escapes, borrowed.
#[inline(always)]
#[must_use]
pub fn text(rest: &str) -> Scanned<'_, &str> {
    let rest = rest.strip_prefix('"')?;
    let (text, rest) = rest.split_at_checked(plain(rest.as_bytes()))?;
    Some((text, rest.strip_prefix('"')?))
}

/// How many bytes stand before the first quote, backslash or control character.
#[inline(always)]
pub(super) fn plain(bytes: &[u8]) -> usize {
    let (words, tail) = bytes.as_chunks::<8>();
    let mut at = 0;
    for word in words {
        let stops = stops(u64::from_le_bytes(*word));
        if stops != 0 {
            return at + (stops.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    at + tail
        .iter()
        .take_while(|byte| !matches!(byte, b'"' | b'\\' | ..=0x1f))
        .count()
}

/// The high bit of the first byte that ends a plain text is the lowest one set.
#[inline(always)]
const fn stops(word: u64) -> u64 {
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    ((quote.wrapping_sub(ONES) & !quote)
        | (backslash.wrapping_sub(ONES) & !backslash)
        | (word.wrapping_sub(ONES * 0x20) & !word))
        & HIGHS
}

/// A text with escapes, read by serde_json; `None` where it has none or is malformed.
#[cold]
pub(super) fn escaped(rest: &str) -> Scanned<'_, String> {
    let after = super::skip(rest)?;
    let (text, after) = rest.split_at_checked(rest.len() - after.len())?;
    Some((serde_json::from_str(text).ok()?, after))
}
