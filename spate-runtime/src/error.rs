//! Error classes: who must act; and the errors that cross the seam to connectors.

use std::error::Error;
use std::fmt;

/// Who must act on an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Class {
    /// The operator: a setting, a permission, a missing table.
    Config,
    /// The data: this record, and only it.
    Record,
    /// Nobody yet: the other side is expected to recover; wait, then try again.
    Remote,
    /// Us.
    Bug,
}

/// What a source says when it cannot go on.
#[derive(Debug)]
pub struct SourceError {
    class: Class,
    text: String,
    hint: Option<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl SourceError {
    /// Makes an error of `class`; `text` is a lower-case fragment without a final dot.
    #[must_use]
    pub fn new(class: Class, text: impl Into<String>) -> Self {
        Self { class, text: text.into(), hint: None, source: None }
    }

    /// Adds what caused it.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Who must act.
    #[must_use]
    pub const fn class(&self) -> Class {
        self.class
    }

    /// What to do about it, if that is known.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for SourceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source
            .as_ref()
            .map(|source| &**source as &(dyn Error + 'static))
    }
}

/// An error and its causes on one line, outermost first.
#[must_use]
pub fn chain_text(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}
