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
    /// The rule that a value out of its range breaks.
    pub range_rule: &'static str,
    /// Whether its value is never shown.
    pub secret: bool,
    /// The cargo feature it needs and that is off; `None` if nothing is missing.
    pub missing_feature: Option<&'static str>,
    /// What its value is to rules that look at more than one key.
    pub means: Means,
    /// What must not be written there, although it is of the type.
    pub bans: &'static [Ban],
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
            range_rule: "P059",
            secret: false,
            missing_feature: None,
            means: Means::Nothing,
            bans: &[],
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
        Self { min: Some(min), range_rule: "P050", ..self }
    }

    /// The rule that a value out of its range breaks, where that is not one of the general ones.
    #[must_use]
    pub const fn range_rule(self, code: &'static str) -> Self {
        Self { range_rule: code, ..self }
    }

    /// What its value is to rules that look at more than one key.
    #[must_use]
    pub const fn means(self, means: Means) -> Self {
        Self { means, ..self }
    }

    /// What must not be written there, although it is of the type.
    #[must_use]
    pub const fn bans(self, bans: &'static [Ban]) -> Self {
        Self { bans, ..self }
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

/// What a key's value is to rules that look at several keys or sections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Means {
    /// Itself only.
    Nothing,
    /// What a source reads or a sink writes, and what that is called: a topic, a table, a folder.
    Place(&'static str),
    /// Where that place is: two places are the same only if these are, too.
    Where,
    /// One item per shard of a sink; also where its place is.
    Shards {
        /// Whether the sink's batches are keyed by partition, because it deduplicates.
        by_partition: bool,
    },
    /// How long a source's group waits for a silent member.
    SessionTimeout,
}

/// A value that must not be written, although it is of its type.
#[derive(Clone, Copy, Debug)]
pub struct Ban {
    /// A key of a [`Type::TextMap`]; empty for the value of the key itself.
    pub name: &'static str,
    /// Which of its values are refused.
    pub refuses: Refuses,
    /// A key of the same section and its value, that admit it.
    pub unless: Option<(&'static str, &'static str)>,
    /// The rule it breaks.
    pub code: &'static str,
    /// Why it is refused: a lower-case fragment.
    pub why: &'static str,
    /// What to write instead; may be empty.
    pub help: &'static str,
}

/// Which values a [`Ban`] refuses.
#[derive(Clone, Copy, Debug)]
pub enum Refuses {
    /// All.
    Any,
    /// These.
    Only(&'static [&'static str]),
    /// All but these.
    AnyBut(&'static [&'static str]),
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
