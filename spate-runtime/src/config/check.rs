//! The one check of a configuration against its schemas: a `const fn`, for builds and for starts.
//!
//! A configuration is a flat list of [`Entry`]s in the order of the file; an entry's children are
//! those behind it that lie one deeper. The macro lowers a YAML file to such a list as a constant
//! and calls [`assert_config`] in a `const`; at start the same functions run over the file given
//! then, and every fault becomes a `ConfigError`.
//!
//! Faults carry places, not texts: `message.rs` writes them, in both worlds the same way.
//! Values with variables are [`Value::Later`] to the compiler and are checked at start only.

use super::message;
use super::nearest::{near, same};
use super::scalar;
pub use super::scalar::Why;
use super::schema::{Key, Type};

/// The section every configuration may have beside those of the declared names.
pub const PIPELINE_SECTION: &str = "pipeline";

/// One key of a map, or one item of a list, and what it holds.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    /// How deep it lies; sections are at 0.
    pub depth: usize,
    /// Its key; empty for an item of a list.
    pub key: &'a str,
    /// What it holds.
    pub value: Value<'a>,
    /// The value as written, before variables were filled in; empty for maps and lists.
    pub shown: &'a str,
    /// Line of the key (or the item), from 1.
    pub line: u32,
    /// Column of the key (or the item), from 1, in characters.
    pub col: u32,
    /// Line of the value, from 1.
    pub value_line: u32,
    /// Column of the value, from 1, in characters.
    pub value_col: u32,
}

/// What an [`Entry`] holds.
#[derive(Clone, Copy)]
pub enum Value<'a> {
    /// Nothing: an empty plain value, `~` or `null`.
    Empty,
    /// A single value of whatever type the schema says.
    Text(&'a str),
    /// A single value with variables that are filled in at start.
    Later,
    /// A single value with a variable of this name that is not set.
    Unset(&'a str),
    /// A map; its children follow.
    Map,
    /// A list; its children follow.
    List,
}

impl std::fmt::Debug for Entry<'_> {
    /// Shows where it is, never what it holds.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.col, self.key)
    }
}

impl std::fmt::Debug for Value<'_> {
    /// Shows what it is, never what it holds.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Empty => "Empty",
            Self::Text(_) => "Text(***)",
            Self::Later => "Later",
            Self::Unset(_) => "Unset",
            Self::Map => "Map",
            Self::List => "List",
        })
    }
}

/// A section as its declaration wants it.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The declared name.
    pub name: &'a str,
    /// The keys it may have, in sets without a common name (a connector's, and every sink's).
    pub keys: &'a [&'static [Key]],
}

/// Where a fault is: an index into the entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The file as a whole: something is missing in it.
    File,
    /// The key of an entry.
    Key(usize),
    /// The value of an entry.
    Value(usize),
}

/// One thing that is wrong.
#[derive(Clone, Copy, Debug)]
pub struct Fault<'a> {
    /// Where it is.
    pub place: Place,
    /// What it is.
    pub kind: FaultKind<'a>,
}

/// What is wrong.
#[derive(Clone, Copy, Debug)]
pub enum FaultKind<'a> {
    /// A section for a name that is not declared.
    Undeclared {
        /// The nearest declared name; empty if none is near.
        nearest: &'a str,
    },
    /// A section that is missing and cannot be.
    NoSection {
        /// The declared name.
        name: &'a str,
        /// A key it requires.
        requires: &'static str,
    },
    /// A key the section does not have.
    UnknownKey {
        /// The nearest known key; empty if none is near.
        nearest: &'static str,
        /// The keys it has.
        known: &'a [&'static [Key]],
    },
    /// A key that was there already.
    Twice {
        /// The entry of the first one.
        first: usize,
    },
    /// A required key that is missing.
    NoKey {
        /// The key.
        key: &'static Key,
    },
    /// A key without a value.
    Empty {
        /// What it should hold.
        ty: Type,
    },
    /// A variable that is not set and has no default.
    Unset {
        /// The variable.
        variable: &'a str,
    },
    /// A value that is not of its type.
    Wrong {
        /// Why.
        why: Why,
        /// What it should be.
        ty: Type,
        /// The least value, if the key has one.
        min: Option<&'static str>,
        /// Whether the value must not be shown.
        secret: bool,
    },
    /// A key that needs a cargo feature that is off.
    NoFeature {
        /// The feature.
        feature: &'static str,
    },
}

impl FaultKind<'_> {
    /// The rule's code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Wrong { why: Why::NoUnit | Why::UnknownUnit, .. } => "P056",
            Self::Wrong { why: Why::Range, min: Some(_), .. } => "P050",
            Self::NoFeature { .. } => "P060",
            _ => "P059",
        }
    }
}

/// The fault number `nth` of a whole configuration, in the order of its sections; `None` behind
/// the last one.
#[must_use]
pub const fn check<'a>(
    sections: &[Expected<'a>],
    entries: &[Entry<'a>],
    nth: usize,
) -> Option<Fault<'a>> {
    let mut finder = Finder::new(nth, false);
    finder.names(sections, entries);
    let mut i = 0;
    while i < sections.len() {
        finder.section(&sections[i], entries);
        i += 1;
    }
    finder.found
}

/// Refuses a configuration at compile time, with its first fault as the message.
///
/// # Panics
///
/// When there is a fault; the message begins with `file:line:col`.
pub const fn assert_config(file: &str, sections: &[Expected<'_>], entries: &[Entry<'_>]) {
    if let Some(fault) = check(sections, entries, 0) {
        let line = message::line(&fault, file, entries);
        panic!("{}", line.as_str());
    }
}

/// The fault number `nth` of the names of the sections alone.
pub(super) const fn check_names<'a>(
    sections: &[Expected<'a>],
    entries: &[Entry<'a>],
    nth: usize,
) -> Option<Fault<'a>> {
    let mut finder = Finder::new(nth, false);
    finder.names(sections, entries);
    finder.found
}

/// The fault number `nth` of one section alone. `unread`: texts may lack their variables.
pub(super) const fn check_section<'a>(
    section: &Expected<'a>,
    entries: &[Entry<'a>],
    nth: usize,
    unread: bool,
) -> Option<Fault<'a>> {
    let mut finder = Finder::new(nth, unread);
    finder.section(section, entries);
    finder.found
}

/// Walks a configuration and keeps one of its faults.
struct Finder<'a> {
    skip: usize,
    unread: bool,
    found: Option<Fault<'a>>,
}

impl<'a> Finder<'a> {
    const fn new(skip: usize, unread: bool) -> Self {
        Self { skip, unread, found: None }
    }

    const fn report(&mut self, place: Place, kind: FaultKind<'a>) {
        if self.found.is_none() {
            if self.skip == 0 {
                self.found = Some(Fault { place, kind });
            } else {
                self.skip -= 1;
            }
        }
    }

    const fn names(&mut self, sections: &[Expected<'a>], entries: &[Entry<'a>]) {
        let mut at = 0;
        while at < entries.len() {
            if entries[at].depth == 0 {
                self.name(sections, entries, at);
            }
            at += 1;
        }
        self.no_twins(entries, 0, 0);
    }

    const fn name(&mut self, sections: &[Expected<'a>], entries: &[Entry<'a>], at: usize) {
        let key = entries[at].key;
        let mut known = same(key, PIPELINE_SECTION);
        let mut least = near(key, PIPELINE_SECTION);
        let mut nearest = if least == usize::MAX { "" } else { PIPELINE_SECTION };
        let mut i = 0;
        while i < sections.len() {
            known |= same(key, sections[i].name);
            let distance = near(key, sections[i].name);
            if distance < least {
                least = distance;
                nearest = sections[i].name;
            }
            i += 1;
        }
        if !known {
            self.report(Place::Key(at), FaultKind::Undeclared { nearest });
        }
    }

    const fn section(&mut self, section: &Expected<'a>, entries: &[Entry<'a>]) {
        match child(entries, 0, 0, section.name) {
            Some(at) => self.map(entries, at, section.keys),
            None => {
                if let Some(key) = first_required(section.keys) {
                    let kind = FaultKind::NoSection { name: section.name, requires: key.name };
                    self.report(Place::File, kind);
                }
            }
        }
    }

    /// The map at `at` against its keys. An empty value stands for an empty map.
    const fn map(&mut self, entries: &[Entry<'a>], at: usize, sets: &'a [&'static [Key]]) {
        if !matches!(entries[at].value, Value::Map | Value::Empty) {
            return self.wrong(at, Why::Shape, &Type::Section(&[]), None, true);
        }
        let depth = entries[at].depth + 1;
        let mut i = at + 1;
        while i < entries.len() && entries[i].depth >= depth {
            if entries[i].depth == depth {
                self.key(entries, i, sets);
            }
            i += 1;
        }
        self.no_twins(entries, at + 1, depth);
        let mut set = 0;
        while set < sets.len() {
            let mut k = 0;
            while k < sets[set].len() {
                let key = &sets[set][k];
                if key.required && child(entries, at + 1, depth, key.name).is_none() {
                    self.report(Place::Key(at), FaultKind::NoKey { key });
                }
                k += 1;
            }
            set += 1;
        }
    }

    const fn key(&mut self, entries: &[Entry<'a>], at: usize, sets: &'a [&'static [Key]]) {
        match find(sets, entries[at].key) {
            Some(key) => {
                if let Some(feature) = key.missing_feature {
                    self.report(Place::Key(at), FaultKind::NoFeature { feature });
                }
                self.value(entries, at, &key.ty, key.min, key.secret);
            }
            None => {
                let nearest = nearest_key(sets, entries[at].key);
                self.report(Place::Key(at), FaultKind::UnknownKey { nearest, known: sets });
            }
        }
    }

    const fn value(
        &mut self,
        entries: &[Entry<'a>],
        at: usize,
        ty: &'static Type,
        min: Option<&'static str>,
        secret: bool,
    ) {
        match ty {
            Type::Section(keys) => self.map(entries, at, one_set(keys)),
            Type::TextMap => self.text_map(entries, at, secret),
            Type::List(item) => match entries[at].value {
                Value::List => self.items(entries, at, item, min, secret),
                Value::Empty => {}
                _ => self.value(entries, at, item, min, secret),
            },
            Type::Either(a, b) => {
                if !self.takes(entries, at, a, min) {
                    if self.takes(entries, at, b, min) || unset(&entries[at]) {
                        self.value(entries, at, b, min, secret);
                    } else {
                        let why = match entries[at].value {
                            Value::Text(_) => Why::Form,
                            _ => Why::Shape,
                        };
                        self.wrong(at, why, ty, min, secret);
                    }
                }
            }
            _ => self.scalar(entries, at, ty, min, secret),
        }
    }

    const fn scalar(
        &mut self,
        entries: &[Entry<'a>],
        at: usize,
        ty: &'static Type,
        min: Option<&'static str>,
        secret: bool,
    ) {
        match entries[at].value {
            Value::Later => {}
            Value::Empty => self.report(Place::Value(at), FaultKind::Empty { ty: *ty }),
            Value::Unset(variable) => {
                if !(self.unread && matches!(ty, Type::Text)) {
                    self.report(Place::Value(at), FaultKind::Unset { variable });
                }
            }
            Value::Map | Value::List => self.wrong(at, Why::Shape, ty, min, secret),
            Value::Text(text) => {
                if let Err(why) = scalar::verify(text, ty, min) {
                    self.wrong(at, why, ty, min, secret);
                }
            }
        }
    }

    const fn items(
        &mut self,
        entries: &[Entry<'a>],
        at: usize,
        ty: &'static Type,
        min: Option<&'static str>,
        secret: bool,
    ) {
        let depth = entries[at].depth + 1;
        let mut i = at + 1;
        while i < entries.len() && entries[i].depth >= depth {
            if entries[i].depth == depth {
                self.value(entries, i, ty, min, secret);
            }
            i += 1;
        }
    }

    const fn text_map(&mut self, entries: &[Entry<'a>], at: usize, secret: bool) {
        match entries[at].value {
            Value::Map => {
                self.items(entries, at, &Type::Text, None, secret);
                self.no_twins(entries, at + 1, entries[at].depth + 1);
            }
            Value::Empty => {}
            _ => self.wrong(at, Why::Shape, &Type::TextMap, None, secret),
        }
    }

    /// No two siblings from `from` on have the same key.
    const fn no_twins(&mut self, entries: &[Entry<'a>], from: usize, depth: usize) {
        let mut i = from;
        while i < entries.len() && entries[i].depth >= depth {
            if entries[i].depth == depth
                && let Some(first) = child(entries, from, depth, entries[i].key)
                && first < i
            {
                self.report(Place::Key(i), FaultKind::Twice { first });
            }
            i += 1;
        }
    }

    const fn takes(
        &self,
        entries: &[Entry<'a>],
        at: usize,
        ty: &'static Type,
        min: Option<&'static str>,
    ) -> bool {
        let mut trial = Finder::new(0, self.unread);
        trial.value(entries, at, ty, min, true);
        trial.found.is_none()
    }

    const fn wrong(
        &mut self,
        at: usize,
        why: Why,
        ty: &'static Type,
        min: Option<&'static str>,
        secret: bool,
    ) {
        self.report(Place::Value(at), FaultKind::Wrong { why, ty: *ty, min, secret });
    }
}

const fn unset(entry: &Entry<'_>) -> bool {
    matches!(entry.value, Value::Unset(_))
}

/// One set of keys as a list of sets, without an allocation.
const fn one_set(keys: &'static &'static [Key]) -> &'static [&'static [Key]] {
    std::slice::from_ref(keys)
}

/// The first entry of that key among the siblings from `from` on, if there is one.
pub(super) const fn child(
    entries: &[Entry<'_>],
    from: usize,
    depth: usize,
    key: &str,
) -> Option<usize> {
    let mut i = from;
    while i < entries.len() && entries[i].depth >= depth {
        if entries[i].depth == depth && same(entries[i].key, key) {
            return Some(i);
        }
        i += 1;
    }
    None
}

const fn find(sets: &[&'static [Key]], name: &str) -> Option<&'static Key> {
    let mut set = 0;
    while set < sets.len() {
        let mut i = 0;
        while i < sets[set].len() {
            if same(sets[set][i].name, name) {
                return Some(&sets[set][i]);
            }
            i += 1;
        }
        set += 1;
    }
    None
}

const fn first_required(sets: &[&'static [Key]]) -> Option<&'static Key> {
    let mut set = 0;
    while set < sets.len() {
        let mut i = 0;
        while i < sets[set].len() {
            if sets[set][i].required {
                return Some(&sets[set][i]);
            }
            i += 1;
        }
        set += 1;
    }
    None
}

const fn nearest_key(sets: &[&'static [Key]], name: &str) -> &'static str {
    let mut best = "";
    let mut least = usize::MAX;
    let mut set = 0;
    while set < sets.len() {
        let mut i = 0;
        while i < sets[set].len() {
            let distance = near(name, sets[set][i].name);
            if distance < least {
                least = distance;
                best = sets[set][i].name;
            }
            i += 1;
        }
        set += 1;
    }
    best
}

#[cfg(test)]
mod tests;
