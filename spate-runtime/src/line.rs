//! A line of text that a `const fn` can write: what findings say, to a build and at start.
//!
//! Pure, and `const` but for printing.

/// A text of bounded length that can be written in a `const fn`; what does not fit is left out.
#[derive(Clone, Copy)]
pub struct Line {
    bytes: [u8; Self::WIDEST],
    len: usize,
}

impl Line {
    const WIDEST: usize = 4096;

    /// An empty line.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: [0; Self::WIDEST], len: 0 }
    }

    /// What was written.
    ///
    /// # Panics
    ///
    /// Never: characters are pushed whole.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        let (text, _) = self.bytes.split_at(self.len);
        match std::str::from_utf8(text) {
            Ok(text) => text,
            Err(_) => panic!("characters are pushed whole"),
        }
    }

    /// Adds `text`.
    #[must_use]
    pub const fn push(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut from = 0;
        while from < bytes.len() {
            let to = char_end(bytes, from);
            if self.len + to - from > Self::WIDEST {
                return self;
            }
            while from < to {
                self.bytes[self.len] = bytes[from];
                self.len += 1;
                from += 1;
            }
        }
        self
    }

    /// Adds a number.
    #[must_use]
    pub const fn number(self, number: u64) -> Self {
        let line = if number > 9 { self.number(number / 10) } else { self };
        let (_, digits) = "0123456789".split_at((number % 10) as usize);
        line.push(digits.split_at(1).0)
    }

    /// Adds a time of so many microseconds: `250ms`, `25s`.
    #[must_use]
    pub(crate) const fn time(self, micros: u64) -> Self {
        if micros.is_multiple_of(1_000_000) {
            self.number(micros / 1_000_000).push("s")
        } else if micros.is_multiple_of(1000) {
            self.number(micros / 1000).push("ms")
        } else {
            self.number(micros).push("us")
        }
    }

    /// Adds bytes for people and for the file, rounded up to a whole number of a unit: `16MiB`,
    /// `1537KiB`.
    #[must_use]
    pub(crate) const fn size(self, bytes: u64) -> Self {
        const UNITS: [(&str, u64); 4] =
            [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];
        let mut i = 0;
        while i + 1 < UNITS.len() {
            let unit = UNITS[i].1;
            if (bytes >= unit && bytes.is_multiple_of(unit)) || bytes / unit >= 100 {
                break;
            }
            i += 1;
        }
        self.number(bytes.div_ceil(UNITS[i].1)).push(UNITS[i].0)
    }

    /// A value as written, on one line, at most 40 characters, without the user part of a URL.
    #[must_use]
    pub(crate) const fn shown(self, value: &str) -> Self {
        let bytes = value.as_bytes();
        let (mut end, mut chars) = (0, 0);
        while end < bytes.len() && chars < 40 && bytes[end] >= b' ' {
            if bytes[end] == b'@' {
                return self.push("(not shown)");
            }
            end = char_end(bytes, end);
            chars += 1;
        }
        let line = self.push("`").push(value.split_at(end).0);
        if end < bytes.len() { line.push("…`") } else { line.push("`") }
    }

    /// Adds `text`, cut short behind so many characters.
    #[must_use]
    pub const fn push_short(self, text: &str, chars: usize) -> Self {
        let bytes = text.as_bytes();
        let (mut end, mut count) = (0, 0);
        while end < bytes.len() && count < chars {
            end = char_end(bytes, end);
            count += 1;
        }
        let line = self.push(text.split_at(end).0);
        if end < bytes.len() { line.push("…") } else { line }
    }

    /// Whether nothing was written.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Default for Line {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_str().fmt(f)
    }
}

/// The end of the character that begins at `from`.
const fn char_end(bytes: &[u8], from: usize) -> usize {
    let mut to = from + 1;
    while to < bytes.len() && bytes[to] & 0xC0 == 0x80 {
        to += 1;
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_full_ends_at_a_whole_character() {
        let mut line = Line::new();
        for _ in 0..Line::WIDEST {
            line = line.push("é");
        }
        assert_eq!(line.as_str().chars().count(), Line::WIDEST / 2);
    }

    #[test]
    fn values_are_shown_on_one_line_without_users_of_urls() {
        let shown = |value: &str| Line::new().shown(value).as_str().to_owned();
        assert_eq!(shown("5"), "`5`");
        assert_eq!(shown("a\nb: c"), "`a…`");
        assert_eq!(shown(&"x".repeat(50)), format!("`{}…`", "x".repeat(40)));
        assert_eq!(shown("http://u:S3cr3t-zz9@db"), "(not shown)");
        assert_eq!(Line::new().number(0).number(1_234_567).as_str(), "01234567");
    }

    #[test]
    fn times_and_sizes_have_the_largest_unit_that_fits() {
        let time = |micros| Line::new().time(micros).to_string();
        assert_eq!(
            [time(0), time(25_000_000), time(1_500_000), time(7)],
            ["0s", "25s", "1500ms", "7us"]
        );
        let size = |bytes| Line::new().size(bytes).to_string();
        assert_eq!(
            [size(0), size(1 << 30), size((1 << 20) + (512 << 10)), size(1 << 20)],
            ["0B", "1GiB", "1536KiB", "1MiB"]
        );
        assert_eq!(size((150 << 20) + 1), "151MiB");
    }

    #[test]
    fn a_long_text_is_cut_behind_a_whole_character() {
        let short = |text: &str| Line::new().push_short(text, 3).to_string();
        assert_eq!([short("abc"), short("äöüß"), short("")], ["abc", "äöü…", ""]);
    }
}
