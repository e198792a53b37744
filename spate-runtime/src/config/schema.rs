//! Schemas as constants: what keys a section has, in a form a `const fn` can check.

/// What a section of the configuration may contain.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// The connector's name, such as `Kafka`.
    pub kind: &'static str,
    /// Its keys, in the order they are documented.
    pub keys: &'static [Key],
}

/// One key of a section.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value is.
    pub ty: Type,
    /// Whether a section without it is refused.
    pub required: bool,
    /// Its value when it is left out, as one would write it in YAML.
    pub default: Option<&'static str>,
    /// The smallest duration or size that is taken, as one would write it in YAML.
    pub min: Option<&'static str>,
    /// Whether its value is never shown.
    pub secret: bool,
    /// The cargo feature it needs and that is off; `None` if nothing is missing.
    pub missing_feature: Option<&'static str>,
    /// One line for people.
    pub doc: &'static str,
}

impl Key {
    /// A key that may be left out and has no default.
    #[must_use]
    pub const fn new(name: &'static str, ty: Type, doc: &'static str) -> Self {
        Self {
            name,
            ty,
            required: false,
            default: None,
            min: None,
            secret: false,
            missing_feature: None,
            doc,
        }
    }

    /// A section without this key is refused.
    #[must_use]
    pub const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// The value when the key is left out.
    #[must_use]
    pub const fn or(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    /// The smallest duration or size that is taken, such as `1ms`: capacities are not zero.
    #[must_use]
    pub const fn at_least(self, min: &'static str) -> Self {
        Self { min: Some(min), ..self }
    }

    /// The value is never shown in logs, errors, `Debug` or reports.
    #[must_use]
    pub const fn secret(self) -> Self {
        Self { secret: true, ..self }
    }

    /// The key needs a cargo feature; pass `cfg!(feature = "..")` as `on`.
    #[must_use]
    pub const fn needs_feature(self, feature: &'static str, on: bool) -> Self {
        Self { missing_feature: if on { None } else { Some(feature) }, ..self }
    }
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub enum Type {
    /// `true` or `false`.
    Bool,
    /// A whole number, both ends inclusive; `_` may stand between digits.
    Integer {
        /// The smallest value.
        min: u64,
        /// The largest value.
        max: u64,
    },
    /// A time with a unit: `250ms`, `1s`, `5m`, `12h`.
    Duration,
    /// Bytes with a unit: `64KiB`, `16MiB`, `1GB`.
    Size,
    /// Text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of values of one type; a single value stands for a list of one.
    List(&'static Self),
    /// One of two types, such as `auto` or a number.
    Either(&'static Self, &'static Self),
    /// Keys of any name with text values, such as settings passed through to a client library.
    TextMap,
    /// A section within the section.
    Section(&'static [Key]),
}
