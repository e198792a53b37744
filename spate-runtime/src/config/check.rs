//! The one check of a configuration against its schemas: a `const fn`, for builds and for starts.
//!
//! A configuration is a flat list of [`Entry`]s in the order of the file; an entry's children are
//! those behind it that lie one deeper. The macro lowers a YAML file to such a list as a constant
//! and calls [`assert_config`] in a `const`; at start the same functions run over the file given
//! then, and every fault becomes a `ConfigError`.
//!
//! Faults carry places, not texts: `message.rs` writes them, in both worlds the same way.
//! Values with variables are [`Value::Later`] to the compiler and are checked at start only.

use super::fit::Unfit;
use super::message;
use super::nearest::{near, same};
use super::scalar;
pub use super::scalar::Why;
use super::schema::{Ban, Key, Refuses, Type};

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
    /// The line this map had this key on first, if that was another one.
    pub twin: Option<u32>,
}

impl<'a> Entry<'a> {
    /// An entry as generated code writes it: `places` are line and column of the key and of the
    /// value.
    #[must_use]
    pub const fn new(
        depth: usize,
        key: &'a str,
        value: Value<'a>,
        shown: &'a str,
        places: [u32; 4],
        twin: Option<u32>,
    ) -> Self {
        let [line, col, value_line, value_col] = places;
        Self { depth, key, value, shown, line, col, value_line, value_col, twin }
    }
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
    /// What the section is for.
    pub role: Role,
}

/// What a section is for, with what its file does not say.
#[derive(Clone, Copy, Debug)]
pub enum Role {
    /// The section `pipeline`.
    Pipeline {
        /// Lane threads, once the process has counted its cores.
        threads: Option<u64>,
    },
    /// A source.
    Source {
        /// How long its group waits for a silent member, in microseconds, once the source was
        /// made; until then a key that means it says so.
        session: Option<u64>,
    },
    /// A sink.
    Sink {
        /// Whether the module gives it a key.
        keyed: bool,
        /// Whether a policy of the module diverts rejects to it.
        takes_rejects: bool,
        /// Its shards, and whether its batches are keyed by partition, once the sink was made;
        /// until then a key that means it says so.
        layout: Option<(u64, bool)>,
        /// What one record can make of its rows, where operators on the way have a limit.
        fan_out: Option<FanOut>,
    },
    /// What the declaration's own body reads: anything.
    Own,
}

/// How many rows of a sink one record can make, by the limits of the operators on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FanOut {
    /// The most rows; an operator without a limit counts as one that gives one record.
    pub rows: u64,
    /// The fewest bytes of each of them.
    pub row_bytes: u64,
}

impl FanOut {
    /// By the limits along each way to the sink, shape `[way][operator]`: the way with most rows.
    #[must_use]
    pub const fn of(ways: &[&[usize]], row_bytes: u64) -> Self {
        let (mut rows, mut way) = (1, 0);
        while way < ways.len() {
            let (mut product, mut i) = (1_u64, 0);
            while i < ways[way].len() {
                product = product.saturating_mul(ways[way][i] as u64);
                i += 1;
            }
            if product > rows {
                rows = product;
            }
            way += 1;
        }
        Self { rows, row_bytes }
    }

    pub(super) const fn bytes(self) -> u64 {
        self.rows.saturating_mul(self.row_bytes)
    }
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
        /// The line of the first one.
        first: u32,
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
        /// Its key.
        key: &'static Key,
    },
    /// A key that needs a cargo feature that is off.
    NoFeature {
        /// The feature.
        feature: &'static str,
    },
    /// A value that is refused although it is of its type.
    Banned {
        /// Why.
        ban: &'static Ban,
    },
    /// Values that do not go together.
    Unfit(Unfit<'a>),
}

impl FaultKind<'_> {
    /// The rule's code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Wrong { why: Why::NoUnit | Why::UnknownUnit, .. } => "P056",
            Self::Wrong { why: Why::Range, key, .. } => key.range_rule,
            Self::NoFeature { .. } => "P060",
            Self::Banned { ban } => ban.code,
            Self::Unfit(unfit) => unfit.code(),
            _ => "P059",
        }
    }
}

/// For whom a configuration is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// A run with its sinks as declared, or a build.
    Declared,
    /// A run that writes files in place of its sinks: their texts, such as passwords, are not used.
    ToFiles,
}

/// How many faults are found at once.
const MOST: usize = 8;

/// Faults of a configuration, in the order of its sections: as many as fit.
#[derive(Clone, Copy, Debug)]
pub struct Faults<'a> {
    found: [Option<Fault<'a>>; MOST],
    len: usize,
}

impl<'a> Faults<'a> {
    /// How many are found at once.
    pub const MOST: usize = MOST;

    const fn new() -> Self {
        Self { found: [None; MOST], len: 0 }
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The fault number `nth`, from 0.
    #[must_use]
    pub const fn get(&self, nth: usize) -> Option<Fault<'a>> {
        if nth < self.len { self.found[nth] } else { None }
    }
}

/// The faults of a whole configuration from number `skip` on; values are held against each other
/// once each of them is right by itself.
#[must_use]
pub const fn check<'a>(
    sections: &'a [Expected<'a>],
    entries: &[Entry<'a>],
    purpose: Purpose,
    skip: usize,
) -> Faults<'a> {
    let mut finder = Finder::new(skip, purpose);
    finder.names(sections, entries);
    let mut i = 0;
    while i < sections.len() {
        finder.section(sections, i, entries);
        i += 1;
    }
    if finder.total == 0 {
        finder.fit(sections, entries);
    }
    finder.found
}

/// Refuses a configuration at compile time, with its faults as the message.
///
/// # Panics
///
/// When there is a fault; the message begins with `file:line:col`.
#[track_caller]
pub const fn assert_config<'a>(file: &str, sections: &'a [Expected<'a>], entries: &[Entry<'a>]) {
    let faults = check(sections, entries, Purpose::Declared, 0);
    if !faults.is_empty() {
        let lines = message::lines(&faults, file, entries);
        panic!("{}", lines.as_str());
    }
}

/// Whether entry `at` holds a secret that is written in the file itself.
#[must_use]
pub const fn is_plain_secret(sections: &[Expected<'_>], entries: &[Entry<'_>], at: usize) -> bool {
    let Value::Text(text) = entries[at].value else { return false };
    if entries[at].depth != 1 || text.is_empty() || !same(text, entries[at].shown) {
        return false;
    }
    let mut above = at;
    while entries[above].depth > 0 {
        above -= 1;
    }
    let mut i = 0;
    while i < sections.len() {
        if same(sections[i].name, entries[above].key)
            && let Some(key) = find(sections[i].keys, entries[at].key)
        {
            return key.secret;
        }
        i += 1;
    }
    false
}

/// The faults of the names of the sections alone.
pub(super) const fn check_names<'a>(
    sections: &'a [Expected<'a>],
    entries: &[Entry<'a>],
    skip: usize,
) -> Faults<'a> {
    let mut finder = Finder::new(skip, Purpose::Declared);
    finder.names(sections, entries);
    finder.found
}

/// The faults of one section alone.
pub(super) const fn check_section<'a>(
    section: &'a Expected<'a>,
    entries: &[Entry<'a>],
    purpose: Purpose,
    skip: usize,
) -> Faults<'a> {
    let mut finder = Finder::new(skip, purpose);
    finder.section(std::slice::from_ref(section), 0, entries);
    finder.found
}

/// The faults of values that are right, but not together.
pub(super) const fn check_fit<'a>(
    sections: &'a [Expected<'a>],
    entries: &[Entry<'a>],
    purpose: Purpose,
    skip: usize,
) -> Faults<'a> {
    let mut finder = Finder::new(skip, purpose);
    finder.fit(sections, entries);
    finder.found
}

/// What a section as a whole is to a fault about its shape.
const WHOLE: Key = Key::new("", Type::Section(&[]), "");

/// Walks a configuration and keeps its faults.
pub(super) struct Finder<'a> {
    skip: usize,
    pub(super) purpose: Purpose,
    pub(super) total: usize,
    found: Faults<'a>,
}

impl<'a> Finder<'a> {
    const fn new(skip: usize, purpose: Purpose) -> Self {
        Self { skip, purpose, total: 0, found: Faults::new() }
    }

    pub(super) const fn report(&mut self, place: Place, kind: FaultKind<'a>) {
        if self.total >= self.skip && self.found.len < Faults::MOST {
            self.found.found[self.found.len] = Some(Fault { place, kind });
            self.found.len += 1;
        }
        self.total += 1;
    }

    const fn names(&mut self, sections: &[Expected<'a>], entries: &[Entry<'a>]) {
        let mut at = 0;
        while at < entries.len() {
            if entries[at].depth == 0 {
                let (known, nearest) = nearest_section(sections, entries[at].key);
                if !known {
                    self.report(Place::Key(at), FaultKind::Undeclared { nearest });
                }
                self.twin(entries, at);
            }
            at += 1;
        }
    }

    const fn section(&mut self, sections: &'a [Expected<'a>], index: usize, entries: &[Entry<'a>]) {
        let section = &sections[index];
        if matches!(section.role, Role::Own) {
            return;
        }
        if let Some(at) = child(entries, 0, 0, section.name) {
            return self.map(entries, at, section.keys);
        }
        let Some(key) = first_required(section.keys) else { return };
        // A section whose name is mistyped is one finding, not two.
        let mut at = 0;
        while at < entries.len() {
            if entries[at].depth == 0 {
                let (known, nearest) = nearest_section(sections, entries[at].key);
                if !known && same(nearest, section.name) {
                    return;
                }
            }
            at += 1;
        }
        let kind = FaultKind::NoSection { name: section.name, requires: key.name };
        self.report(Place::File, kind);
    }

    /// The map at `at` against its keys. An empty value stands for an empty map.
    const fn map(&mut self, entries: &[Entry<'a>], at: usize, sets: &'a [&'static [Key]]) {
        if !matches!(entries[at].value, Value::Map | Value::Empty) {
            return self.wrong(at, Why::Shape, &WHOLE.ty, &WHOLE);
        }
        let depth = entries[at].depth + 1;
        let mut i = at + 1;
        while i < entries.len() && entries[i].depth >= depth {
            if entries[i].depth == depth {
                self.key(entries, i, sets);
                self.twin(entries, i);
            }
            i += 1;
        }
        let mut set = 0;
        while set < sets.len() {
            let mut k = 0;
            while k < sets[set].len() {
                let key = &sets[set][k];
                if key.required
                    && child(entries, at + 1, depth, key.name).is_none()
                    && !is_meant(entries, at, sets, key.name)
                {
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
                self.value(entries, at, &key.ty, key);
                self.bans(entries, at, key);
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
        key: &'static Key,
    ) {
        match ty {
            Type::Section(keys) => self.map(entries, at, one_set(keys)),
            Type::TextMap => self.text_map(entries, at, key),
            Type::List(item) => match entries[at].value {
                Value::List => self.items(entries, at, item, key),
                Value::Empty => {}
                _ => self.value(entries, at, item, key),
            },
            Type::Either(a, b) => {
                if !self.takes(entries, at, a, key) {
                    if self.takes(entries, at, b, key) || unset(&entries[at]) {
                        self.value(entries, at, b, key);
                    } else {
                        let why = match entries[at].value {
                            Value::Text(text) => match scalar::verify(text, ty, key.min) {
                                Err(Why::Range) => Why::Range,
                                _ => Why::Form,
                            },
                            _ => Why::Shape,
                        };
                        self.wrong(at, why, ty, key);
                    }
                }
            }
            _ => self.scalar(entries, at, ty, key),
        }
    }

    const fn scalar(
        &mut self,
        entries: &[Entry<'a>],
        at: usize,
        ty: &'static Type,
        key: &'static Key,
    ) {
        match entries[at].value {
            Value::Later => {}
            Value::Empty => self.report(Place::Value(at), FaultKind::Empty { ty: *ty }),
            Value::Unset(variable) => {
                let unread = matches!(self.purpose, Purpose::ToFiles);
                if !(unread && matches!(ty, Type::Text)) {
                    self.report(Place::Value(at), FaultKind::Unset { variable });
                }
            }
            Value::Map | Value::List => self.wrong(at, Why::Shape, ty, key),
            Value::Text(text) => {
                if let Err(why) = scalar::verify(text, ty, key.min) {
                    self.wrong(at, why, ty, key);
                }
            }
        }
    }

    const fn items(
        &mut self,
        entries: &[Entry<'a>],
        at: usize,
        ty: &'static Type,
        key: &'static Key,
    ) {
        let depth = entries[at].depth + 1;
        let mut i = at + 1;
        while i < entries.len() && entries[i].depth >= depth {
            if entries[i].depth == depth {
                self.value(entries, i, ty, key);
            }
            i += 1;
        }
    }

    const fn text_map(&mut self, entries: &[Entry<'a>], at: usize, key: &'static Key) {
        match entries[at].value {
            Value::Map => {
                self.items(entries, at, &Type::Text, key);
                let depth = entries[at].depth + 1;
                let mut i = at + 1;
                while i < entries.len() && entries[i].depth >= depth {
                    self.twin(entries, i);
                    i += 1;
                }
            }
            Value::Empty => {}
            _ => self.wrong(at, Why::Shape, &Type::TextMap, key),
        }
    }

    /// What must not be written at `at`, or in the map that is there.
    const fn bans(&mut self, entries: &[Entry<'a>], at: usize, key: &'static Key) {
        let mut nth = 0;
        while nth < key.bans.len() {
            let ban = &key.bans[nth];
            let written = match ban.name.is_empty() {
                true => Some(at),
                false => child(entries, at + 1, entries[at].depth + 1, ban.name),
            };
            if let Some(written) = written
                && refuses(ban, &entries[written])
                && !admitted(ban, entries, at)
            {
                self.report(Place::Value(written), FaultKind::Banned { ban });
            }
            nth += 1;
        }
    }

    const fn twin(&mut self, entries: &[Entry<'a>], at: usize) {
        if let Some(first) = entries[at].twin {
            self.report(Place::Key(at), FaultKind::Twice { first });
        }
    }

    const fn takes(
        &self,
        entries: &[Entry<'a>],
        at: usize,
        ty: &'static Type,
        key: &'static Key,
    ) -> bool {
        let mut trial = Finder::new(0, self.purpose);
        trial.value(entries, at, ty, key);
        trial.total == 0
    }

    const fn wrong(&mut self, at: usize, why: Why, ty: &'static Type, key: &'static Key) {
        self.report(Place::Value(at), FaultKind::Wrong { why, ty: *ty, key });
    }
}

/// Whether `name` is a section that may be there, and the nearest one that may.
const fn nearest_section<'a>(sections: &[Expected<'a>], name: &str) -> (bool, &'a str) {
    let mut known = same(name, PIPELINE_SECTION);
    let mut least = near(name, PIPELINE_SECTION);
    let mut nearest = if least == usize::MAX { "" } else { PIPELINE_SECTION };
    let mut i = 0;
    while i < sections.len() && !known {
        known = same(name, sections[i].name);
        let distance = near(name, sections[i].name);
        if distance < least {
            least = distance;
            nearest = sections[i].name;
        }
        i += 1;
    }
    (known, nearest)
}

/// Whether an unknown key of the map at `at` is one mistyped `name`.
const fn is_meant(entries: &[Entry<'_>], at: usize, sets: &[&'static [Key]], name: &str) -> bool {
    let depth = entries[at].depth + 1;
    let mut i = at + 1;
    while i < entries.len() && entries[i].depth >= depth {
        if entries[i].depth == depth
            && find(sets, entries[i].key).is_none()
            && same(nearest_key(sets, entries[i].key), name)
        {
            return true;
        }
        i += 1;
    }
    false
}

const fn refuses(ban: &Ban, entry: &Entry<'_>) -> bool {
    match (ban.refuses, entry.value) {
        (Refuses::Any, _) => true,
        (Refuses::Only(values), Value::Text(text)) => is_one_of(text, values),
        (Refuses::AnyBut(values), Value::Text(text)) => !is_one_of(text, values),
        _ => false,
    }
}

/// Whether a key beside the one at `at` admits what `ban` refuses, or may do so at start.
const fn admitted(ban: &Ban, entries: &[Entry<'_>], at: usize) -> bool {
    let Some((key, value)) = ban.unless else { return false };
    let depth = entries[at].depth;
    let mut from = at;
    while from > 0 && entries[from - 1].depth >= depth {
        from -= 1;
    }
    match child(entries, from, depth, key) {
        Some(beside) => match entries[beside].value {
            Value::Text(text) => same(text, value),
            Value::Later => true,
            _ => false,
        },
        None => false,
    }
}

const fn is_one_of(text: &str, values: &[&str]) -> bool {
    let mut i = 0;
    while i < values.len() {
        if same(text, values[i]) {
            return true;
        }
        i += 1;
    }
    false
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

pub(super) const fn find(sets: &[&'static [Key]], name: &str) -> Option<&'static Key> {
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
