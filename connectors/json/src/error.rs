//! Why a record could not be decoded.

use std::error::Error;
use std::fmt;

/// A record could not be decoded.
#[derive(Debug)]
pub struct JsonError(Box<Reason>);

/// What kind of reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// The payload holds nothing but blanks.
    Empty,
    /// No JSON.
    Malformed,
    /// No UTF-8.
    InvalidUtf8,
    /// JSON, but not of the record's type.
    Mismatch,
}

#[derive(Debug)]
enum Reason {
    Empty,
    Trailing { column: usize },
    InvalidUtf8 { at: usize },
    Decode { path: String, error: serde_json::Error },
}

impl JsonError {
    pub(crate) fn empty() -> Self {
        Self(Box::new(Reason::Empty))
    }

    /// `column` counts bytes of the line from 1.
    pub(crate) fn trailing(column: usize) -> Self {
        Self(Box::new(Reason::Trailing { column }))
    }

    /// `at` counts bytes of the payload from 0.
    pub(crate) fn invalid_utf8(at: usize) -> Self {
        Self(Box::new(Reason::InvalidUtf8 { at }))
    }

    /// `path` is empty where the record itself is wrong.
    pub(crate) fn decode(path: String, error: serde_json::Error) -> Self {
        Self(Box::new(Reason::Decode { path, error }))
    }

    /// What kind of reason.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match &*self.0 {
            Reason::Empty => Kind::Empty,
            Reason::Trailing { .. } => Kind::Malformed,
            Reason::InvalidUtf8 { .. } => Kind::InvalidUtf8,
            Reason::Decode { error, .. } if error.is_data() => Kind::Mismatch,
            Reason::Decode { .. } => Kind::Malformed,
        }
    }

    /// The field that is wrong, such as `lines[2].qty`, where one can be named.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match &*self.0 {
            Reason::Decode { path, .. } if !path.is_empty() => Some(path),
            _ => None,
        }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Reason::Empty => f.write_str("empty payload"),
            Reason::Trailing { column } => {
                write!(f, "trailing characters behind the record at column {column}")
            }
            Reason::InvalidUtf8 { at } => write!(f, "invalid UTF-8 at byte {at} of the payload"),
            Reason::Decode { path, error } if path.is_empty() => write!(f, "{error}"),
            Reason::Decode { path, error } => write!(f, "{path}: {error}"),
        }
    }
}

/// The text of the cause is part of this error's own: its position belongs behind the path.
impl Error for JsonError {}
