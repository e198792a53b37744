//! The note: what is committed beside a watermark. Pure.
//!
//! Versioned ASCII, `key=value` separated by `;`. Version 1 carries the incarnation: a random id
//! made when a partition has no note, so that a topic made anew, offsets reset or a table emptied
//! never reuse the tokens of an earlier life.
//!
//! ```text
//! spate1;i=9f86d081884c7d65
//! ```

use std::fmt;
use std::str::FromStr;

use crate::lane::source::Note;

/// Tells one life of a partition's log from another of the same name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Incarnation(pub u64);

impl fmt::Display for Incarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Why a note could not be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoteError {
    /// It was written by something else.
    #[error("note does not begin with `spate1;`")]
    Foreign,
    /// A field is missing or not in its form.
    #[error("note has no readable field `{0}`")]
    Field(&'static str),
}

/// What a note says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoteBook {
    /// The partition's incarnation.
    pub incarnation: Incarnation,
}

impl NoteBook {
    /// Writes the note.
    #[must_use]
    pub fn note(&self) -> Note {
        Note(format!("spate1;i={}", self.incarnation))
    }
}

impl FromStr for NoteBook {
    type Err = NoteError;

    fn from_str(text: &str) -> Result<Self, NoteError> {
        let fields = text.strip_prefix("spate1;").ok_or(NoteError::Foreign)?;
        let field = fields.split(';').find_map(|field| field.strip_prefix("i="));
        let digits = field.filter(|digits| digits.len() == 16);
        let incarnation = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let incarnation = incarnation.ok_or(NoteError::Field("i"))?;
        Ok(Self { incarnation: Incarnation(incarnation) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_reads_back_as_it_was_written() {
        let book = NoteBook { incarnation: Incarnation(0x00ff) };
        assert_eq!(book.note().0, "spate1;i=00000000000000ff");
        assert_eq!(book.note().0.parse(), Ok(book));
    }

    #[test]
    fn a_later_field_is_passed_over() {
        assert!(
            "spate1;i=00000000000000ff;r=1-2"
                .parse::<NoteBook>()
                .is_ok()
        );
    }

    #[test]
    fn a_foreign_note_is_refused() {
        for (text, error) in [
            ("", NoteError::Foreign),
            ("connect:12", NoteError::Foreign),
            ("spate1;", NoteError::Field("i")),
            ("spate1;i=zz", NoteError::Field("i")),
        ] {
            assert_eq!(text.parse::<NoteBook>(), Err(error), "{text:?}");
        }
    }
}
