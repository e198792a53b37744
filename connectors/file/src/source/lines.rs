//! The lines of one file: bytes in, whole lines out, with the offset each begins at.
//!
//! Lane thread. A line is lent where it was read; only the beginning of a line that did not fit is
//! moved. The buffer grows for a long line, up to `line_max` and its line end.
//!
//! ```text
//! buffer   | lent before | whole lines .. | beginning of a line | room |
//!                        begin                                  len
//! ```

use std::io::{self, Read};
use std::ops::Range;

/// Why no further line can be given.
#[derive(Debug)]
pub(super) enum LineError {
    Read(io::Error),
    /// The line that begins at this offset does not end within `line_max` bytes.
    TooLong {
        at: u64,
    },
}

/// A line within the buffer, without its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Line {
    pub(super) at: u64,
    pub(super) bytes: Range<usize>,
}

/// Cuts what it reads into lines.
pub(super) struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    begin: usize,
    len: usize,
    /// The offset of `buffer[begin]`.
    at: u64,
    ended: bool,
    /// Reading began within a line: pass over what is left of it.
    skip: bool,
    line_max: usize,
}

/// Lines lent at once, and the size the buffer begins with.
const BATCH_LINES: usize = 512;
const BUFFER: usize = 256 << 10;

impl<R: Read> Lines<R> {
    /// Reads on from offset `at`, where `from` stands; `skip` if that is within a line.
    pub(super) fn new(from: R, at: u64, skip: bool, line_max: usize) -> Self {
        let room = BUFFER.min(line_max + LINE_END);
        Self { from, buffer: vec![0; room], begin: 0, len: 0, at, ended: false, skip, line_max }
    }

    /// Fills `lines` with the next ones that are not blank; none is left if it stays empty.
    ///
    /// What the lines before were lent from is overwritten.
    pub(super) fn next_lines(&mut self, lines: &mut Vec<Line>) -> Result<(), LineError> {
        lines.clear();
        loop {
            self.cut(lines)?;
            if !lines.is_empty() || (self.ended && self.begin == self.len) {
                return Ok(());
            }
            self.read_more()?;
        }
    }

    /// The bytes of a line.
    pub(super) fn bytes(&self, line: &Line) -> &[u8] {
        &self.buffer[line.bytes.clone()]
    }

    /// The offset of the first byte that no line was cut from.
    pub(super) const fn position(&self) -> u64 {
        self.at
    }

    fn cut(&mut self, lines: &mut Vec<Line>) -> Result<(), LineError> {
        while lines.len() < BATCH_LINES {
            let rest = &self.buffer[self.begin..self.len];
            let (line, taken) = match memchr::memchr(b'\n', rest) {
                Some(newline) => (newline, newline + 1),
                None if self.ended && !rest.is_empty() => (rest.len(), rest.len()),
                None => break,
            };
            let text = rest[..line].strip_suffix(b"\r").unwrap_or(&rest[..line]);
            if !self.skip {
                if text.len() > self.line_max {
                    return self.too_long(lines);
                }
                if !text.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
                    let bytes = self.begin..self.begin + text.len();
                    lines.push(Line { at: self.at, bytes });
                }
            }
            self.skip = false;
            self.begin += taken;
            self.at += taken as u64;
        }
        Ok(())
    }

    /// Lines that were cut before the long one are lent first.
    fn too_long(&self, lines: &[Line]) -> Result<(), LineError> {
        if lines.is_empty() { Err(LineError::TooLong { at: self.at }) } else { Ok(()) }
    }

    fn read_more(&mut self) -> Result<(), LineError> {
        if self.skip {
            self.at += (self.len - self.begin) as u64;
            self.begin = self.len;
        }
        self.buffer.copy_within(self.begin..self.len, 0);
        self.len -= self.begin;
        self.begin = 0;
        if self.len == self.buffer.len() {
            let most = self.line_max + LINE_END;
            if self.len >= most {
                return Err(LineError::TooLong { at: self.at });
            }
            self.buffer.resize((2 * self.len).min(most), 0);
        }
        match self.from.read(&mut self.buffer[self.len..]) {
            Ok(0) => self.ended = true,
            Ok(read) => self.len += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(LineError::Read(error)),
        }
        if self.skip && self.ended {
            self.skip = false;
        }
        Ok(())
    }
}

/// Room for `\r\n` behind the longest line.
const LINE_END: usize = 2;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Gives out a few bytes at a time.
    struct Trickle<'a>(&'a [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(self.1).min(into.len());
            into[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    type Read_ = Result<Vec<(u64, Vec<u8>)>, u64>;

    fn read_all(file: &[u8], at: usize, skip: bool, line_max: usize, step: usize) -> Read_ {
        let mut lines = Lines::new(Trickle(&file[at..], step), at as u64, skip, line_max);
        let mut all = Vec::new();
        let mut cut = Vec::new();
        loop {
            match lines.next_lines(&mut cut) {
                Ok(()) if cut.is_empty() => {
                    assert_eq!(lines.position(), file.len() as u64, "all of it was read");
                    return Ok(all);
                }
                Ok(()) => {
                    all.extend(cut.iter().map(|line| (line.at, lines.bytes(line).to_vec())));
                }
                Err(LineError::TooLong { at }) => return Err(at),
                Err(LineError::Read(error)) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn r046_line_ends_and_blank_lines_in_a_file() {
        let file = b"{\"a\":1}\r\n\r\n \n{\"a\":2}\n{\"a\":3}";
        let read = read_all(file, 0, false, 100, 3).unwrap();
        let expected = [(0, "{\"a\":1}"), (13, "{\"a\":2}"), (21, "{\"a\":3}")];
        let expected = expected.map(|(at, text)| (at, text.as_bytes().to_vec()));
        assert_eq!(read, expected);
        assert_eq!(read_all(b"", 0, false, 100, 3).unwrap(), []);
        assert_eq!(read_all(b"\n\n", 0, false, 100, 3).unwrap(), []);
    }

    #[test]
    fn a_line_may_have_line_max_bytes_and_no_more() {
        let whole = [&b"12345678\r\n"[..], b"x\n"].concat();
        assert_eq!(read_all(&whole, 0, false, 8, 100).unwrap().len(), 2);
        assert_eq!(read_all(&whole, 0, false, 7, 100), Err(0));
        let later = [&b"ok\n\n"[..], &[b'y'; 5000], b"\n"].concat();
        for step in [1, 7, 10_000] {
            assert_eq!(read_all(&later, 0, false, 4999, step), Err(4), "{step}");
            assert_eq!(read_all(&later, 0, false, 5000, step).unwrap().len(), 2);
        }
    }

    proptest! {
        /// From any offset, in steps of any size, the lines are those that begin at or after it.
        #[test]
        fn lines_are_those_of_a_naive_split(
            file in prop::collection::vec(prop::sample::select(b"ab\r\n ".to_vec()), 0..200),
            from in any::<prop::sample::Index>(),
            step in 1..40_usize,
        ) {
            let from = from.index(file.len() + 1);
            let within = from > 0 && file[from - 1] != b'\n';
            let mut expected = Vec::new();
            let mut at = 0;
            for line in file.split_inclusive(|&byte| byte == b'\n') {
                let text = line.strip_suffix(b"\n").unwrap_or(line);
                let text = text.strip_suffix(b"\r").unwrap_or(text);
                let blank = text.iter().all(|byte| b" \r".contains(byte));
                if at >= from && !blank {
                    expected.push((at as u64, text.to_vec()));
                }
                at += line.len();
            }
            prop_assert_eq!(read_all(&file, from, within, 1000, step), Ok(expected));
        }
    }
}
