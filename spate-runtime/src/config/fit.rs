//! Whether values that are right by themselves go together: within a sink, between a source and a
//! sink, and all of them with the budget. `const`, for builds and for starts.
//!
//! | code | what goes together |
//! |---|---|
//! | P018 | what a sink writes and what a source reads |
//! | P019 | the place of a dead-letter sink and those of the others |
//! | P045 | shards, `key` and `route` |
//! | P051 | `batch_bytes` and `frame_bytes` |
//! | P052 | the budget and everything that waits for linger |
//! | P053 | `drain_timeout`, `linger` and retries; `retry_cap` and `retry_base` |
//! | P054 | `commit_interval` and the session timeout |
//! | P057 | `fan_out` of operators, the least size of a row, and the budget |
//! | P058 | shards and their replicas |
//!
//! The sizing rule (P052): what waits for linger must fit in the budget, or lanes stop for want of
//! memory while batches wait for rows. What waits is, at worst, one open frame per (lane, sink,
//! shard) and one batch per (sink, shard), or per (lane, sink, shard) where a sink's batches are
//! keyed by partition. The default of `batch_bytes` gives way to a small budget, down to one frame,
//! so that batches which wait take half of what frames leave: the other half is for those that are
//! being written meanwhile. A value that was written is held against the whole.
//!
//! A value that is known at start only (a variable) makes a build pass over the rules that need it.
//! What a connector's section does not tell (cores, the layout of a sink that its own code makes)
//! is taken at its least by a build and as it is at start.

use super::check::{
    Entry, Expected, FanOut, FaultKind, Finder, Place, Purpose, Role, Value, child, find,
};
use super::nearest::same;
use super::scalar;
use super::schema::{Key, Means};

/// Lanes that the sizing rule counts before any partition is assigned.
pub(crate) const LANES_ASSUMED: u64 = 8;

/// Above this many replicas, equal ones are not looked for: the compiler counts its steps.
const REPLICAS_COMPARED: usize = 64;

/// Values that do not go together; times in microseconds, sizes in bytes.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the fields are the values that the message names")]
pub enum Unfit<'a> {
    /// P018.
    FeedsItself { sink: &'a str, source: &'a str, what: &'static str, place: &'a str },
    /// P019.
    NotItsOwn { sink: &'a str, other: &'a str, what: &'static str, place: &'a str },
    /// P045.
    NoShardKey { sink: &'a str, shards: u64 },
    /// P051.
    BatchBelowFrame { sink: &'a str, batch: u64, frame: u64 },
    /// P052, with the sink that makes most wait.
    Budget { needed: u64, memory: u64, lanes: u64, shards: u64, most: Load<'a> },
    /// P053.
    CapBelowBase { sink: &'a str },
    /// P053.
    DrainTooShort { sink: &'a str, drain: u64, linger: u64, cap: u64 },
    /// P054.
    CommitTooSlow { interval: u64, session: u64 },
    /// P057.
    FanOut { sink: &'a str, fan_out: FanOut, memory: u64 },
    /// P058.
    NoReplica { sink: &'a str, shard: u64 },
    /// P058.
    SameReplica { sink: &'a str, replica: &'a str },
}

impl Unfit<'_> {
    /// The rule's code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::FeedsItself { .. } => "P018",
            Self::NotItsOwn { .. } => "P019",
            Self::NoShardKey { .. } => "P045",
            Self::BatchBelowFrame { .. } => "P051",
            Self::Budget { .. } => "P052",
            Self::CapBelowBase { .. } | Self::DrainTooShort { .. } => "P053",
            Self::CommitTooSlow { .. } => "P054",
            Self::FanOut { .. } => "P057",
            Self::NoReplica { .. } | Self::SameReplica { .. } => "P058",
        }
    }
}

/// What one sink makes wait for linger at worst.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// The declared name.
    pub name: &'a str,
    /// How many batches.
    pub batches: u64,
    /// How many frames.
    pub frames: u64,
    /// Bytes of each frame.
    pub frame_bytes: u64,
    /// Bytes of each batch, as written or by default.
    pub batch_bytes: u64,
    /// Whether `batch_bytes` was written; its default gives way.
    pub batch_bytes_set: bool,
}

impl Load<'_> {
    const NONE: Self = Self {
        name: "",
        batches: 0,
        frames: 0,
        frame_bytes: 0,
        batch_bytes: 0,
        batch_bytes_set: false,
    };

    /// Bytes at which its batches are sealed, where each open batch has a share of the budget.
    pub(crate) const fn batch_bytes(&self, share: u64) -> u64 {
        match (self.batch_bytes_set, self.batch_bytes < share) {
            (true, _) | (_, true) => self.batch_bytes,
            _ if share > self.frame_bytes => share,
            _ => self.frame_bytes,
        }
    }

    const fn bytes(&self, share: u64) -> u64 {
        self.frames
            .saturating_mul(self.frame_bytes)
            .saturating_add(self.batches.saturating_mul(self.batch_bytes(share)))
    }
}

/// What a key of a section says.
#[derive(Clone, Copy)]
enum Said<'a> {
    /// This, at this entry.
    Written(usize, &'a str),
    /// Nothing, so this.
    Default(&'static str),
    /// What is known at start only, or cannot be read as one value.
    Unknown,
}

impl<'a> Said<'a> {
    const fn text(self) -> Option<&'a str> {
        match self {
            Self::Written(_, text) | Self::Default(text) => Some(text),
            Self::Unknown => None,
        }
    }

    const fn micros(self) -> Option<u64> {
        match self.text() {
            Some(text) => known(scalar::micros(text)),
            None => None,
        }
    }

    const fn bytes(self) -> Option<u64> {
        match self.text() {
            Some(text) => known(scalar::bytes(text)),
            None => None,
        }
    }

    /// Where it was written, else `or`.
    const fn place(self, or: Place) -> Place {
        match self {
            Self::Written(at, _) => Place::Value(at),
            Self::Default(_) | Self::Unknown => or,
        }
    }
}

const fn known(read: Result<u64, scalar::Why>) -> Option<u64> {
    match read {
        Ok(number) => Some(number),
        Err(_) => None,
    }
}

/// Where the section is in the file; `None` if it is not written.
const fn section_at(section: &Expected<'_>, entries: &[Entry<'_>]) -> Option<usize> {
    child(entries, 0, 0, section.name)
}

/// The entry of a key of the section.
const fn entry_of(section: &Expected<'_>, entries: &[Entry<'_>], key: &str) -> Option<usize> {
    match section_at(section, entries) {
        Some(at) => child(entries, at + 1, 1, key),
        None => None,
    }
}

const fn said<'a>(section: &Expected<'a>, entries: &[Entry<'a>], key: &str) -> Said<'a> {
    let Some(of) = find(section.keys, key) else { return Said::Unknown };
    match (entry_of(section, entries, key), of.default) {
        (Some(at), _) => match entries[at].value {
            Value::Text(text) => Said::Written(at, text),
            _ => Said::Unknown,
        },
        (None, Some(default)) => Said::Default(default),
        (None, None) => Said::Unknown,
    }
}

/// The section's key with this meaning; what [`Means`] carries is not compared.
const fn meaning(section: &Expected<'_>, means: Means) -> Option<&'static Key> {
    let mut set = 0;
    while set < section.keys.len() {
        let mut i = 0;
        while i < section.keys[set].len() {
            if matches!(
                (section.keys[set][i].means, means),
                (Means::Place(_), Means::Place(_))
                    | (Means::Shards { .. }, Means::Shards { .. })
                    | (Means::SessionTimeout, Means::SessionTimeout)
            ) {
                return Some(&section.keys[set][i]);
            }
            i += 1;
        }
        set += 1;
    }
    None
}

const SHARDS: Means = Means::Shards { by_partition: false };

/// How many shards a sink has and whether its batches are keyed by partition; `None` where only
/// the start knows.
const fn layout(section: &Expected<'_>, entries: &[Entry<'_>]) -> Option<(u64, bool)> {
    if let Role::Sink { layout: Some(layout), .. } = section.role {
        return Some(layout);
    }
    let Some(key) = meaning(section, SHARDS) else { return Some((1, false)) };
    let Means::Shards { by_partition } = key.means else { return Some((1, false)) };
    let Some(at) = entry_of(section, entries, key.name) else { return Some((1, by_partition)) };
    match entries[at].value {
        Value::Later | Value::Unset(_) => None,
        Value::List => {
            let (mut items, mut i) = (0, at + 1);
            while i < entries.len() && entries[i].depth > entries[at].depth {
                items += (entries[i].depth == entries[at].depth + 1) as u64;
                i += 1;
            }
            Some((if items == 0 { 1 } else { items }, by_partition))
        }
        _ => Some((1, by_partition)),
    }
}

/// What sink `section` makes wait with so many lanes; `None` where only the start knows.
pub(crate) const fn load<'a>(
    section: &Expected<'a>,
    entries: &[Entry<'a>],
    lanes: u64,
) -> Option<Load<'a>> {
    let batch = said(section, entries, "batch_bytes");
    let Some((shards, by_partition)) = layout(section, entries) else { return None };
    let Some(frame_bytes) = said(section, entries, "frame_bytes").bytes() else { return None };
    let Some(batch_bytes) = batch.bytes() else { return None };
    let frames = shards.saturating_mul(lanes);
    Some(Load {
        name: section.name,
        batches: if by_partition { frames } else { shards },
        frames,
        frame_bytes,
        batch_bytes,
        batch_bytes_set: matches!(batch, Said::Written(..)),
    })
}

/// Half of what is left of the budget for each open batch whose size was not written.
pub(crate) const fn share(memory: u64, loads: &Loads<'_, '_>) -> u64 {
    let (mut fixed, mut open) = (0_u64, 0_u64);
    let mut i = 0;
    while i < loads.sections.len() {
        if let Some(load) = loads.get(i) {
            fixed = fixed.saturating_add(load.frames.saturating_mul(load.frame_bytes));
            if load.batch_bytes_set {
                fixed = fixed.saturating_add(load.batches.saturating_mul(load.batch_bytes));
            } else {
                open += load.batches;
            }
        }
        i += 1;
    }
    memory.saturating_sub(fixed) / 2 / if open == 0 { 1 } else { open }
}

/// The loads of the sinks among `sections`, read anew at each call: a constant keeps no list.
#[derive(Clone, Copy)]
pub(crate) struct Loads<'s, 'a> {
    pub(crate) sections: &'s [Expected<'a>],
    pub(crate) entries: &'s [Entry<'a>],
    pub(crate) lanes: u64,
}

impl<'a> Loads<'_, 'a> {
    pub(crate) const fn get(&self, i: usize) -> Option<Load<'a>> {
        match self.sections[i].role {
            Role::Sink { .. } => load(&self.sections[i], self.entries, self.lanes),
            _ => None,
        }
    }
}

impl<'a> Finder<'a> {
    /// Reports what does not go together.
    pub(super) const fn fit(&mut self, sections: &'a [Expected<'a>], entries: &[Entry<'a>]) {
        let before = self.total;
        let mut i = 0;
        while i < sections.len() {
            if let Role::Sink { .. } = sections[i].role {
                self.sink(&sections[i], entries);
            }
            i += 1;
        }
        if matches!(self.purpose, Purpose::Declared) {
            self.places(sections, entries);
        }
        let mut i = 0;
        while i < sections.len() {
            if let Role::Pipeline { threads } = sections[i].role {
                if self.total == before {
                    // What a sink's own sizes do to each other comes first.
                    self.budget(sections, i, threads, entries);
                }
                self.drain(sections, i, entries);
                self.commits(sections, i, entries);
                self.fan_outs(sections, i, entries);
            }
            i += 1;
        }
    }

    const fn unfit(&mut self, place: Place, unfit: Unfit<'a>) {
        self.report(place, FaultKind::Unfit(unfit));
    }

    /// P045, P051, P053 (pauses) and P058.
    const fn sink(&mut self, section: &'a Expected<'a>, entries: &[Entry<'a>]) {
        let (name, head) = (section.name, place_of(section, entries));
        if matches!(self.purpose, Purpose::Declared) {
            self.shards(section, entries);
        }
        let batch = said(section, entries, "batch_bytes");
        let frame = said(section, entries, "frame_bytes");
        if let (Some(batch_bytes), Some(frame_bytes)) = (batch.bytes(), frame.bytes())
            && batch_bytes < frame_bytes
        {
            let kind =
                Unfit::BatchBelowFrame { sink: name, batch: batch_bytes, frame: frame_bytes };
            self.unfit(batch.place(frame.place(head)), kind);
        }
        let base = said(section, entries, "retry_base");
        let cap = said(section, entries, "retry_cap");
        if let (Some(first), Some(longest)) = (base.micros(), cap.micros())
            && longest < first
        {
            self.unfit(cap.place(base.place(head)), Unfit::CapBelowBase { sink: name });
        }
    }

    const fn shards(&mut self, section: &'a Expected<'a>, entries: &[Entry<'a>]) {
        let key = meaning(section, SHARDS);
        let at = match key {
            Some(key) => entry_of(section, entries, key.name),
            None => None,
        };
        if let Some(at) = at {
            self.replicas(section.name, entries, at);
        }
        let Role::Sink { keyed: false, .. } = section.role else { return };
        let Some((shards, _)) = layout(section, entries) else { return };
        let Some(route) = said(section, entries, "route").text() else { return };
        if shards > 1 && same(route, "key") {
            let place = match at {
                Some(at) => Place::Key(at),
                None => place_of(section, entries),
            };
            self.unfit(place, Unfit::NoShardKey { sink: section.name, shards });
        }
    }

    /// P058: each shard in the list at `at` has a replica, and no two are the same.
    const fn replicas(&mut self, sink: &'a str, entries: &[Entry<'a>], at: usize) {
        let depth = entries[at].depth;
        if !matches!(entries[at].value, Value::List) {
            return;
        }
        let (mut shard, mut i) = (0, at + 1);
        if i >= entries.len() || entries[i].depth <= depth {
            return self.unfit(Place::Key(at), Unfit::NoReplica { sink, shard: 1 });
        }
        while i < entries.len() && entries[i].depth > depth {
            shard += (entries[i].depth == depth + 1) as u64;
            let empty = match entries[i].value {
                Value::Empty => true,
                Value::List => i + 1 >= entries.len() || entries[i + 1].depth <= entries[i].depth,
                _ => false,
            };
            if empty {
                self.unfit(Place::Key(i), Unfit::NoReplica { sink, shard });
            }
            if i - at <= REPLICAS_COMPARED && stands_before(entries, at + 1, i) {
                self.unfit(Place::Value(i), Unfit::SameReplica { sink, replica: entries[i].shown });
            }
            i += 1;
        }
    }

    /// P018 and P019.
    const fn places(&mut self, sections: &'a [Expected<'a>], entries: &[Entry<'a>]) {
        let mut i = 0;
        while i < sections.len() {
            if let Role::Sink { takes_rejects, .. } = sections[i].role
                && let Some(key) = meaning(&sections[i], Means::Place(""))
                && let Means::Place(what) = key.means
                && let Some(at) = entry_of(&sections[i], entries, key.name)
                && let Value::Text(place) = entries[at].value
            {
                let sink = sections[i].name;
                let mut other = 0;
                while other < sections.len() {
                    let name = sections[other].name;
                    let is_one =
                        other != i && meets(&sections[other], what, place, &sections[i], entries);
                    match sections[other].role {
                        Role::Source { .. } if is_one => self.unfit(
                            Place::Value(at),
                            Unfit::FeedsItself { sink, source: name, what, place },
                        ),
                        Role::Sink { .. } if is_one && takes_rejects => self.unfit(
                            Place::Value(at),
                            Unfit::NotItsOwn { sink, other: name, what, place },
                        ),
                        _ => {}
                    }
                    other += 1;
                }
            }
            i += 1;
        }
    }

    /// P052.
    const fn budget(
        &mut self,
        sections: &'a [Expected<'a>],
        pipeline: usize,
        threads: Option<u64>,
        entries: &[Entry<'a>],
    ) {
        let section = &sections[pipeline];
        let said_memory = said(section, entries, "memory");
        let Some(memory) = said_memory.bytes() else { return };
        let threads = match (threads, said(section, entries, "threads").text()) {
            (Some(threads), _) => threads,
            (None, Some(text)) => match scalar::integer(text) {
                Ok(threads) => threads,
                // `auto`: as many cores as there are where it runs.
                Err(_) => 1,
            },
            (None, None) => 1,
        };
        let lanes = if threads > LANES_ASSUMED { threads } else { LANES_ASSUMED };
        let loads = Loads { sections, entries, lanes };
        let share = share(memory, &loads);
        let (mut needed, mut shards, mut most) = (0_u64, 0_u64, Load::NONE);
        let mut at = said_memory.place(Place::File);
        let mut i = 0;
        while i < sections.len() {
            if let Role::Sink { .. } = sections[i].role {
                let Some(load) = loads.get(i) else { return };
                needed = needed.saturating_add(load.bytes(share));
                shards += load.frames / lanes;
                if load.bytes(share) >= most.bytes(share) {
                    most = Load { batch_bytes: load.batch_bytes(share), ..load };
                    if matches!(said_memory, Said::Default(_)) {
                        let frame = said(&sections[i], entries, "frame_bytes");
                        let batch = said(&sections[i], entries, "batch_bytes");
                        at = batch.place(frame.place(place_of(&sections[i], entries)));
                    }
                }
            }
            i += 1;
        }
        if needed > memory {
            self.unfit(at, Unfit::Budget { needed, memory, lanes, shards, most });
        }
    }

    /// P053: a drain must have the time for every sink's linger and its longest pause.
    const fn drain(
        &mut self,
        sections: &'a [Expected<'a>],
        pipeline: usize,
        entries: &[Entry<'a>],
    ) {
        let timeout = said(&sections[pipeline], entries, "drain_timeout");
        let Some(drain) = timeout.micros() else { return };
        let mut i = 0;
        while i < sections.len() {
            let (linger, cap) =
                (said(&sections[i], entries, "linger"), said(&sections[i], entries, "retry_cap"));
            if let Role::Sink { .. } = sections[i].role
                && let (Some(wait), Some(pause)) = (linger.micros(), cap.micros())
                && drain < wait.saturating_add(pause)
            {
                let or = place_of(&sections[pipeline], entries);
                let kind = Unfit::DrainTooShort {
                    sink: sections[i].name,
                    drain,
                    linger: wait,
                    cap: pause,
                };
                self.unfit(timeout.place(linger.place(cap.place(or))), kind);
            }
            i += 1;
        }
    }

    /// P054: watermarks are committed at least twice in a session, or a member that lives looks
    /// dead.
    const fn commits(
        &mut self,
        sections: &'a [Expected<'a>],
        pipeline: usize,
        entries: &[Entry<'a>],
    ) {
        let said_interval = said(&sections[pipeline], entries, "commit_interval");
        let Some(interval) = said_interval.micros() else { return };
        let mut i = 0;
        while i < sections.len() {
            if let Role::Source { session } = sections[i].role {
                let timeout = match meaning(&sections[i], Means::SessionTimeout) {
                    Some(key) => said(&sections[i], entries, key.name),
                    None => Said::Unknown,
                };
                let session = match session {
                    Some(session) => Some(session),
                    None => timeout.micros(),
                };
                if let Some(session) = session
                    && interval > session / 2
                {
                    let or = place_of(&sections[pipeline], entries);
                    let kind = Unfit::CommitTooSlow { interval, session };
                    self.unfit(said_interval.place(timeout.place(or)), kind);
                }
            }
            i += 1;
        }
    }

    /// P057: what one record may make of a sink's rows fits in the budget, or it would pass it
    /// alone.
    const fn fan_outs(
        &mut self,
        sections: &'a [Expected<'a>],
        pipeline: usize,
        entries: &[Entry<'a>],
    ) {
        let said_memory = said(&sections[pipeline], entries, "memory");
        let Some(memory) = said_memory.bytes() else { return };
        let mut i = 0;
        while i < sections.len() {
            if let Role::Sink { fan_out: Some(fan_out), .. } = sections[i].role
                && fan_out.bytes() > memory
            {
                let at = said_memory.place(place_of(&sections[i], entries));
                self.unfit(at, Unfit::FanOut { sink: sections[i].name, fan_out, memory });
            }
            i += 1;
        }
    }
}

/// Where a section is; the file where it is not written.
const fn place_of(section: &Expected<'_>, entries: &[Entry<'_>]) -> Place {
    match section_at(section, entries) {
        Some(at) => Place::Key(at),
        None => Place::File,
    }
}

/// Whether the text at `i` stands among the entries from `from` on already.
const fn stands_before(entries: &[Entry<'_>], from: usize, i: usize) -> bool {
    let Value::Text(text) = entries[i].value else { return false };
    let mut before = from;
    while before < i {
        if let Value::Text(other) = entries[before].value
            && same(text, other)
        {
            return true;
        }
        before += 1;
    }
    false
}

/// Whether `section` has its place where `sink` writes, at `place`.
const fn meets(
    section: &Expected<'_>,
    what: &str,
    place: &str,
    sink: &Expected<'_>,
    entries: &[Entry<'_>],
) -> bool {
    let Some(key) = meaning(section, Means::Place("")) else { return false };
    let Means::Place(other) = key.means else { return false };
    let Some(at) = entry_of(section, entries, key.name) else { return false };
    if !same(what, other) || !same_where(section, sink, entries) {
        return false;
    }
    let mut i = at;
    while i < entries.len() && (i == at || entries[i].depth > entries[at].depth) {
        if let Value::Text(text) = entries[i].value
            && is_within(text, place)
        {
            return true;
        }
        i += 1;
    }
    false
}

/// Whether `text` is `place`, or names with `*` or `?` right in it.
const fn is_within(text: &str, place: &str) -> bool {
    let (text, place) = (text.as_bytes(), place.as_bytes());
    let mut end = place.len();
    while end > 1 && place[end - 1] == b'/' {
        end -= 1;
    }
    let mut i = 0;
    while i < end {
        if i >= text.len() || text[i] != place[i] {
            return false;
        }
        i += 1;
    }
    let mut names = false;
    while i < text.len() {
        match text[i] {
            b'/' if i == end => {}
            b'/' if i + 1 < text.len() => return false,
            b'*' | b'?' if i > end => names = true,
            _ if i == end => return false,
            _ => {}
        }
        i += 1;
    }
    names || text.len() <= end + 1
}

/// Whether the keys that say where a place is say the same in both sections, and are known.
const fn same_where(a: &Expected<'_>, b: &Expected<'_>, entries: &[Entry<'_>]) -> bool {
    where_holds(a, b, entries) && where_holds(b, a, entries)
}

/// Whether `b` says the same as `a` for each key that says where `a`'s place is.
const fn where_holds(a: &Expected<'_>, b: &Expected<'_>, entries: &[Entry<'_>]) -> bool {
    let mut set = 0;
    while set < a.keys.len() {
        let mut i = 0;
        while i < a.keys[set].len() {
            let key = &a.keys[set][i];
            if matches!(key.means, Means::Where | Means::Shards { .. })
                && !says_the_same(a, b, key, entries)
            {
                return false;
            }
            i += 1;
        }
        set += 1;
    }
    true
}

const fn says_the_same(
    a: &Expected<'_>,
    b: &Expected<'_>,
    key: &Key,
    entries: &[Entry<'_>],
) -> bool {
    match (entry_of(a, entries, key.name), entry_of(b, entries, key.name)) {
        (None, None) => true,
        (Some(x), Some(y)) => same_tree(entries, x, y),
        // Written in one, a default in the other.
        (Some(x), None) | (None, Some(x)) => match (entries[x].value, key.default) {
            (Value::Text(text), Some(default)) => same(text, default),
            _ => false,
        },
    }
}

/// Whether two entries hold the same texts in the same order.
const fn same_tree(entries: &[Entry<'_>], x: usize, y: usize) -> bool {
    let mut i = 0;
    loop {
        let in_x = x + i < entries.len() && (i == 0 || entries[x + i].depth > entries[x].depth);
        let in_y = y + i < entries.len() && (i == 0 || entries[y + i].depth > entries[y].depth);
        if !in_x || !in_y {
            return in_x == in_y;
        }
        let equal = match (entries[x + i].value, entries[y + i].value) {
            (Value::Text(a), Value::Text(b)) => same(a, b),
            (Value::List, Value::List) | (Value::Map, Value::Map) => true,
            _ => false,
        };
        if !equal {
            return false;
        }
        i += 1;
    }
}

#[cfg(test)]
mod tests;
