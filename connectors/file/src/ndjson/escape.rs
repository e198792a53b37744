//! Strings and bytes as JSON text.
//!
//! A string is looked at eight bytes at a time; what needs no escape is copied in runs.
//!
//! Source: RFC 8259 section 7 (strings), RFC 4648 section 4 (base64); the word tests are those of
//! "Bit Twiddling Hacks", "determine if a word has a byte less than n" and "has a zero byte".

use spate_runtime::chain::frame_buf::FrameBuf;

/// Writes `text` as a JSON string.
#[inline]
pub(super) fn put_string(out: &mut FrameBuf, text: &str) {
    let text = text.as_bytes();
    out.reserve(text.len() + 2);
    out.push(b'"');
    let plain = plain_prefix(text);
    out.extend(&text[..plain]);
    if plain < text.len() {
        put_escaped(out, &text[plain..]);
    }
    out.push(b'"');
}

/// How many bytes from the front certainly need no escape.
#[inline]
fn plain_prefix(text: &[u8]) -> usize {
    let (words, rest) = text.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        if has_special(u64::from_le_bytes(*word)) {
            return index * 8;
        }
    }
    let special = rest.iter().any(|&byte| is_special(byte));
    if special { text.len() - rest.len() } else { text.len() }
}

#[cold]
fn put_escaped(out: &mut FrameBuf, mut text: &[u8]) {
    while let Some(at) = text.iter().position(|&byte| is_special(byte)) {
        out.extend(&text[..at]);
        put_escape(out, text[at]);
        text = &text[at + 1..];
        let plain = plain_prefix(text);
        out.extend(&text[..plain]);
        text = &text[plain..];
    }
    out.extend(text);
}

fn put_escape(out: &mut FrameBuf, byte: u8) {
    match byte {
        b'"' => out.extend(b"\\\""),
        b'\\' => out.extend(b"\\\\"),
        b'\n' => out.extend(b"\\n"),
        b'\r' => out.extend(b"\\r"),
        b'\t' => out.extend(b"\\t"),
        0x08 => out.extend(b"\\b"),
        0x0c => out.extend(b"\\f"),
        _ => {
            out.extend(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
        }
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";

const fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Whether any of the eight bytes needs an escape.
const fn has_special(word: u64) -> bool {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const TOPS: u64 = u64::from_le_bytes([0x80; 8]);
    let quote = word ^ u64::from_le_bytes([b'"'; 8]);
    let slash = word ^ u64::from_le_bytes([b'\\'; 8]);
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = quote.wrapping_sub(ONES) & !quote;
    let slash = slash.wrapping_sub(ONES) & !slash;
    (control | quote | slash) & TOPS != 0
}

/// Writes `bytes` in base64, the standard alphabet, padded.
pub(super) fn put_base64(out: &mut FrameBuf, bytes: &[u8]) {
    out.reserve(bytes.len().div_ceil(3) * 4);
    let digit = |bits: u32| BASE64[(bits & 63) as usize];
    let (triples, rest) = bytes.as_chunks::<3>();
    for &[a, b, c] in triples {
        let bits = u32::from_be_bytes([0, a, b, c]);
        out.extend(&[digit(bits >> 18), digit(bits >> 12), digit(bits >> 6), digit(bits)]);
    }
    match *rest {
        [a] => {
            let bits = u32::from(a) << 16;
            out.extend(&[digit(bits >> 18), digit(bits >> 12), b'=', b'=']);
        }
        [a, b] => {
            let bits = u32::from_be_bytes([0, a, b, 0]);
            out.extend(&[digit(bits >> 18), digit(bits >> 12), digit(bits >> 6), b'=']);
        }
        _ => {}
    }
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
