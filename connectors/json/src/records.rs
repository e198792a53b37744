//! The records of one payload, one after the other.
//!
//! Lane thread, inside the fused loop. The UTF-8 of a payload is checked once for all of it; text
//! is what the decoder borrows from. Where the check fails, the lines before are text still, the
//! line in question is one error, and the rest is checked anew.
//!
//! ```text
//! payload   {..}\n{..}\n  {.. \xff ..}\n  {..}
//!           text          bad             (checked when reached)
//! ```
//!
//! Source: `docs/adr/0010-json-decoder.md`, which decoder and why.

use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::JsonError;
use crate::scan::{Scan, Scanned};

/// How a record is read before serde_json is asked.
pub(crate) trait Read<'buf, T> {
    /// The record at the start of `text`, which begins with a bracket or a quote, and what follows
    /// it; `None` where serde_json must be asked.
    fn read(&mut self, text: &'buf str) -> Scanned<'buf, T>;
}

/// Not at all.
pub(crate) struct Serde;

impl<'buf, T> Read<'buf, T> for Serde {
    #[inline(always)]
    fn read(&mut self, _text: &'buf str) -> Scanned<'buf, T> {
        None
    }
}

/// By the decoder derived for it.
pub(crate) struct Derived<'dec, P>(pub(crate) &'dec mut P);

impl<'buf, T: Scan<'buf>> Read<'buf, T> for Derived<'_, T::Plan> {
    #[inline(always)]
    fn read(&mut self, text: &'buf str) -> Scanned<'buf, T> {
        T::scan(text, self.0)
    }
}

pub(crate) struct Records<'buf, T, R> {
    read: R,
    /// What is left to decode of the lines known to be text.
    text: &'buf str,
    /// What follows: empty, or begins with a line that is no text.
    bad: &'buf [u8],
    /// Bytes of the payload before `bad`.
    bad_at: usize,
    /// No record was given out yet.
    first: bool,
    of: PhantomData<fn() -> T>,
}

const BYTE_ORDER_MARK: char = '\u{feff}';

impl<'buf, T: Deserialize<'buf>, R: Read<'buf, T>> Records<'buf, T, R> {
    #[inline]
    pub(crate) fn new(payload: &'buf [u8], read: R) -> Self {
        let of = |text| Self { read, text, bad: &[], bad_at: 0, first: true, of: PhantomData };
        match std::str::from_utf8(payload) {
            Ok(text) => of(text),
            Err(_) => of("").with_bad(payload),
        }
    }

    /// Of a payload that is not all text.
    #[cold]
    fn with_bad(mut self, payload: &'buf [u8]) -> Self {
        self.split_bad(payload, 0);
        self
    }

    /// Splits `bytes`, which begin at byte `at` of the payload, before the first line that is no
    /// text.
    #[cold]
    fn split_bad(&mut self, bytes: &'buf [u8], at: usize) {
        let valid = match std::str::from_utf8(bytes) {
            Ok(_) => bytes.len(),
            Err(error) => {
                let before = &bytes[..error.valid_up_to()];
                memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1)
            }
        };
        let (text, bad) = bytes.split_at(valid);
        self.text = std::str::from_utf8(text).unwrap_or_default();
        self.bad = bad;
        self.bad_at = at + valid;
    }

    /// The text is used up: blank so far, or a line that is no text follows.
    #[cold]
    fn at_end_of_text(&mut self) -> Option<Result<T, JsonError>> {
        if self.bad.is_empty() {
            return std::mem::take(&mut self.first).then(|| Err(JsonError::empty()));
        }
        let bad = self.bad;
        let at = self.bad_at + std::str::from_utf8(bad).map_or_else(|e| e.valid_up_to(), str::len);
        let end = memchr::memchr(b'\n', bad).map_or(bad.len(), |newline| newline + 1);
        self.split_bad(&bad[end..], self.bad_at + end);
        self.first = false;
        Some(Err(JsonError::invalid_utf8(at)))
    }

    /// Goes on behind a record, at `rest`; whether only blanks follow on its line.
    #[inline]
    fn step_over(&mut self, rest: &'buf str) -> bool {
        let behind = rest.trim_start_matches([' ', '\t', '\r']);
        // The line break goes as well, so that the next record begins where the text does.
        let (text, clean) = match behind.strip_prefix('\n') {
            Some(next) => (next, true),
            None if behind.is_empty() => (behind, true),
            None => (after_line(behind), false),
        };
        self.text = text;
        clean
    }

    /// The error of the record the text begins with, with the path; goes on behind the record.
    #[cold]
    fn failed(&mut self, error: serde_json::Error) -> JsonError {
        let text = self.text;
        let end = if error.is_data() { end_of_value::<IgnoredAny>(text) } else { None };
        self.text = after_line(&text[end.unwrap_or(0)..]);
        let decoder = &mut serde_json::Deserializer::from_str(text);
        match serde_path_to_error::deserialize::<_, T>(decoder) {
            Ok(_) => JsonError::decode(String::new(), error),
            Err(with_path) => {
                let path = with_path.path();
                let named = path
                    .iter()
                    .any(|segment| !matches!(segment, serde_path_to_error::Segment::Unknown));
                let path = if named { path.to_string() } else { String::new() };
                JsonError::decode(path, with_path.into_inner())
            }
        }
    }
}

/// What follows the first line break.
fn after_line(text: &str) -> &str {
    memchr::memchr(b'\n', text.as_bytes()).map_or("", |newline| &text[newline + 1..])
}

/// Where the value that `text` begins with ends, if it is one.
fn end_of_value<'a, T: Deserialize<'a>>(text: &'a str) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<T>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

impl<'buf, T: Deserialize<'buf>, R: Read<'buf, T>> Iterator for Records<'buf, T, R> {
    type Item = Result<T, JsonError>;

    /// Inlined, because most payloads are one record and nothing else: the loop asks twice for each
    /// of them, and takes the record from where the derived decoder put it.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let mut read = false;
        if self.text.as_bytes().first() == Some(&b'{') {
            if let Some((record, rest)) = self.read.read(self.text) {
                self.first = false;
                if rest.is_empty() {
                    self.text = rest;
                    return Some(Ok(record));
                }
                return Some(self.behind(record, rest));
            }
            read = true;
        } else if self.text.is_empty() && !self.first && self.bad.is_empty() {
            return None;
        }
        self.next_record(read)
    }
}

impl<'buf, T: Deserialize<'buf>, R: Read<'buf, T>> Records<'buf, T, R> {
    /// The next record; `read` if the derived decoder passed on it.
    fn next_record(&mut self, read: bool) -> Option<Result<T, JsonError>> {
        // A blank, or what a byte order mark begins with.
        let before_a_record = |byte: &u8| *byte <= b' ' || *byte == 0xef;
        if self.text.as_bytes().first().is_none_or(before_a_record) {
            if self.first {
                self.text = self.text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(self.text);
            }
            self.text = self.text.trim_start_matches([' ', '\t', '\r', '\n']);
            if self.text.is_empty() {
                return if self.first || !self.bad.is_empty() {
                    self.at_end_of_text()
                } else {
                    None
                };
            }
        }
        self.first = false;
        if !matches!(self.text.as_bytes()[0], b'{' | b'[' | b'"') {
            return self.next_scalar();
        }
        if !read && let Some((record, rest)) = self.read.read(self.text) {
            return Some(self.behind(record, rest));
        }
        let mut decoder = serde_json::Deserializer::from_str(self.text);
        match T::deserialize(&mut decoder) {
            Ok(record) => {
                let end = decoder.into_iter::<IgnoredAny>().byte_offset();
                Some(self.behind(record, &self.text[end..]))
            }
            Err(error) => Some(Err(self.failed(error))),
        }
    }

    /// A record that is a number or a word: something must end it.
    #[cold]
    fn next_scalar(&mut self) -> Option<Result<T, JsonError>> {
        let mut values = serde_json::Deserializer::from_str(self.text).into_iter::<T>();
        match values.next()? {
            Ok(record) => {
                let end = values.byte_offset();
                Some(self.behind(record, &self.text[end..]))
            }
            Err(error) => Some(Err(self.failed(error))),
        }
    }

    /// The record, if nothing but blanks stands between it and the end of its line.
    #[inline]
    fn behind(&mut self, record: T, rest: &'buf str) -> Result<T, JsonError> {
        let column = self.text.len() - rest.len() + 1;
        if self.step_over(rest) { Ok(record) } else { Err(JsonError::trailing(column)) }
    }
}

#[cfg(test)]
mod tests;
