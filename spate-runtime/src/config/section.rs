//! A checked section as its connector reads it.

use std::fmt;
use std::time::Duration;

/// One thing that is wrong with a configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError {
    /// `file:line:col` of the value or key; the file's name alone if something is missing in it.
    pub at: String,
    /// The rule's code.
    pub code: &'static str,
    /// What is wrong.
    pub text: String,
    /// What to write instead; may be empty.
    pub help: String,
}

/// Everything that is wrong with a configuration; never empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{}: {} [{}]", error.at, error.text, error.code)?;
            if !error.help.is_empty() {
                write!(f, "\n  help: {}", error.help)?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

/// A value that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Hides `text`.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The value itself, for the wire only.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

/// A section that passed its schema: every key known, every value of its type, defaults filled in.
///
/// The getters name keys of the section's schema.
///
/// # Panics
///
/// Every getter panics (INV-M1) when the schema has no such key or another type for it: a bug of
/// the connector, found by its first test.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    pub(crate) inner: std::marker::PhantomData<&'a ()>,
}

#[expect(clippy::unimplemented, reason = "being written")]
impl<'a> Section<'a> {
    /// The name it was declared with.
    #[must_use]
    pub fn name(&self) -> &'a str {
        unimplemented!()
    }

    /// Whether the key was written (not filled in from its default).
    #[must_use]
    pub fn is_set(&self, _key: &str) -> bool {
        unimplemented!()
    }

    /// A boolean with a default.
    #[must_use]
    pub fn bool(&self, _key: &str) -> bool {
        unimplemented!()
    }

    /// An integer that is required or has a default.
    #[must_use]
    pub fn integer(&self, _key: &str) -> u64 {
        unimplemented!()
    }

    /// A duration that is required or has a default.
    #[must_use]
    pub fn duration(&self, _key: &str) -> Duration {
        unimplemented!()
    }

    /// Bytes, required or with a default.
    #[must_use]
    pub fn size(&self, _key: &str) -> u64 {
        unimplemented!()
    }

    /// A text or choice that is required or has a default.
    #[must_use]
    pub fn text(&self, _key: &str) -> &'a str {
        unimplemented!()
    }

    /// A text that may be left out.
    #[must_use]
    pub fn text_opt(&self, _key: &str) -> Option<&'a str> {
        unimplemented!()
    }

    /// A secret text that may be left out.
    #[must_use]
    pub fn secret_opt(&self, _key: &str) -> Option<Secret> {
        unimplemented!()
    }

    /// A list of texts; empty if left out.
    #[must_use]
    pub fn texts(&self, _key: &str) -> Vec<&'a str> {
        unimplemented!()
    }

    /// A list of lists of texts (`shards: [[a, b], [c]]`, or `[a, c]` for one replica each).
    #[must_use]
    pub fn text_lists(&self, _key: &str) -> Vec<Vec<&'a str>> {
        unimplemented!()
    }

    /// Pairs of a text map, in the order written; empty if left out.
    #[must_use]
    pub fn text_map(&self, _key: &str) -> Vec<(&'a str, &'a str)> {
        unimplemented!()
    }

    /// A section within this one, if it was written.
    #[must_use]
    pub fn section(&self, _key: &str) -> Option<Self> {
        unimplemented!()
    }

    /// An error at `key` (or at the section when the key was not written), for what the schema
    /// cannot say.
    #[must_use]
    pub fn error(
        &self,
        _key: &str,
        _code: &'static str,
        _text: impl Into<String>,
        _help: impl Into<String>,
    ) -> ConfigErrors {
        unimplemented!()
    }
}
