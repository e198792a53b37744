//! What a fault says: one set of words for the compiler's message and for the start's. `const`.
//!
//! A value is shown as it is written in the file, never as its variables were filled in; a secret
//! is not shown at all, nor is the user part of a URL.
//!
//! Source: field reports R132, R134.

use super::check::{Entry, Fault, FaultKind, Faults, Place, Value};
use super::fit::{Load, Unfit};
use super::scalar::Why;
use super::schema::{Ban, Key, Refuses, Type};
use crate::line::Line;

/// `file:line:col: text [code]; help: help`, for a compile-time message.
pub(super) const fn line(fault: &Fault<'_>, file: &str, entries: &[Entry<'_>]) -> Line {
    let to = write_place(Line::new(), fault.place, file, entries).push(": ");
    let to = write_text(to, fault, entries)
        .push(" [")
        .push(fault.kind.code())
        .push("]");
    let help = help(fault);
    if help.as_str().is_empty() { to } else { to.push("\n  help: ").push(help.as_str()) }
}

/// All of them, one below the other.
pub(super) const fn lines(faults: &Faults<'_>, file: &str, entries: &[Entry<'_>]) -> Line {
    let (mut to, mut i) = (Line::new(), 0);
    while let Some(fault) = faults.get(i) {
        to = if i == 0 { to } else { to.push("\n") };
        to = to.push(line(&fault, file, entries).as_str());
        i += 1;
    }
    to
}

/// `file:line:col`.
pub(super) const fn place(fault: &Fault<'_>, file: &str, entries: &[Entry<'_>]) -> Line {
    write_place(Line::new(), fault.place, file, entries)
}

/// What is wrong.
pub(super) const fn text(fault: &Fault<'_>, entries: &[Entry<'_>]) -> Line {
    write_text(Line::new(), fault, entries)
}

/// What to write instead; may be empty.
pub(super) const fn help(fault: &Fault<'_>) -> Line {
    let to = Line::new();
    match fault.kind {
        FaultKind::Undeclared { nearest } if nearest.is_empty() => {
            to.push("remove it, or declare it in the module")
        }
        FaultKind::Undeclared { nearest } | FaultKind::UnknownKey { nearest, .. }
            if !nearest.is_empty() =>
        {
            to.push("did you mean `").push(nearest).push("`?")
        }
        FaultKind::UnknownKey { known, .. } => write_keys(to.push("known here: "), known),
        FaultKind::Undeclared { .. } | FaultKind::Twice { .. } => to.push("remove one of them"),
        FaultKind::NoSection { name, requires } => to
            .push("write `")
            .push(name)
            .push(":` with `")
            .push(requires)
            .push("` in it"),
        FaultKind::NoKey { key } => to
            .push("`")
            .push(key.name)
            .push("` is ")
            .push(kind(&key.ty))
            .push(": ")
            .push(key.doc),
        FaultKind::Empty { ty: Type::Text } => to.push("write `\"\"` for an empty text"),
        FaultKind::Empty { ty } => write_expected(to, &ty, None),
        FaultKind::Unset { variable } => to
            .push("set it, or write `${")
            .push(variable)
            .push(":-default}`"),
        FaultKind::Wrong { ty, key, .. } => write_expected(to, &ty, key.min),
        FaultKind::Banned { ban } => to.push(ban.help),
        FaultKind::Unfit(unfit) => write_unfit_help(to, &unfit),
        FaultKind::NoFeature { feature } => to
            .push("build with `features = [\"")
            .push(feature)
            .push("\"]`"),
    }
}

const fn write_place(to: Line, place: Place, file: &str, entries: &[Entry<'_>]) -> Line {
    let (line, col) = match place {
        // No file at all: `(no configuration)`.
        Place::File if matches!(file.as_bytes(), [b'(', ..]) => return to.push(file),
        Place::File => (1, 1),
        Place::Key(at) => (entries[at].line, entries[at].col),
        Place::Value(at) => (entries[at].value_line, entries[at].value_col),
    };
    to.push(file)
        .push(":")
        .number(line as u64)
        .push(":")
        .number(col as u64)
}

const fn write_text(to: Line, fault: &Fault<'_>, entries: &[Entry<'_>]) -> Line {
    let at = match fault.place {
        Place::File => 0,
        Place::Key(at) | Place::Value(at) => at,
    };
    match fault.kind {
        FaultKind::Undeclared { .. } => to
            .push("section `")
            .push(entries[at].key)
            .push("` is for no declared name"),
        FaultKind::NoSection { name, .. } => to.push("section `").push(name).push("` is missing"),
        FaultKind::UnknownKey { .. } => write_name(to.push("unknown key "), entries, at),
        FaultKind::Twice { first } => write_name(to, entries, at)
            .push(" was given on line ")
            .number(first as u64)
            .push(" already"),
        FaultKind::NoKey { key } => write_path(to.push("key `"), entries, at)
            .push(".")
            .push(key.name)
            .push("` is missing"),
        FaultKind::Empty { .. } => write_name(to, entries, at).push(" has no value"),
        FaultKind::Unset { variable } => {
            let to = to.push("variable `").push(variable).push("` of ");
            write_name(to, entries, at).push(" is not set")
        }
        FaultKind::Wrong { why, ty, key } => {
            write_wrong(write_name(to, entries, at), &entries[at], why, &ty, key.secret)
        }
        FaultKind::Banned { ban } => write_banned(to, entries, at, ban),
        FaultKind::Unfit(unfit) => write_unfit(to, &unfit),
        FaultKind::NoFeature { feature } => write_name(to, entries, at)
            .push(" needs the feature `")
            .push(feature)
            .push("`"),
    }
}

const fn write_wrong(to: Line, entry: &Entry<'_>, why: Why, ty: &Type, secret: bool) -> Line {
    let to = match entry.value {
        Value::Map => to.push(" is a section"),
        Value::List => to.push(" is a list"),
        _ if secret => to.push(" has a value"),
        _ => to.push(" is ").shown(entry.shown),
    };
    match why {
        Why::Shape | Why::Form if secret => to.push(" that is not ").push(kind(ty)),
        Why::Shape | Why::Form => to.push(", not ").push(kind(ty)),
        Why::NoUnit => to.push(" without a unit"),
        Why::UnknownUnit => to.push(" with an unknown unit"),
        Why::Range => to.push(", which is out of range"),
    }
}

const fn write_banned(to: Line, entries: &[Entry<'_>], at: usize, ban: &Ban) -> Line {
    let to = write_name(to, entries, at);
    match ban.refuses {
        Refuses::Any => to.push(": ").push(ban.why),
        Refuses::Only(_) | Refuses::AnyBut(_) => to
            .push(" is ")
            .shown(entries[at].shown)
            .push(": ")
            .push(ban.why),
    }
}

const fn write_unfit(to: Line, unfit: &Unfit<'_>) -> Line {
    match *unfit {
        Unfit::FeedsItself { sink, source, what, place } => to
            .push("sink `")
            .push(sink)
            .push("` writes to the ")
            .push(what)
            .push(" that `")
            .push(source)
            .push("` reads: ")
            .shown(place),
        Unfit::NotItsOwn { sink, other, what, place } => to
            .push("dead letters of `")
            .push(sink)
            .push("` go to the ")
            .push(what)
            .push(" that `")
            .push(other)
            .push("` writes: ")
            .shown(place),
        Unfit::NoShardKey { sink, shards } => to
            .push("sink `")
            .push(sink)
            .push("` has ")
            .number(shards)
            .push(" shards but no `key`"),
        Unfit::BatchBelowFrame { sink, batch, frame } => to
            .push("a batch of `")
            .push(sink)
            .push("` (")
            .size(batch)
            .push(") does not hold one frame (")
            .size(frame)
            .push(")"),
        Unfit::Budget { needed, memory, lanes: _, shards: _, most } => {
            let to = to
                .size(needed)
                .push(" wait for linger at worst, the budget is ")
                .size(memory)
                .push(": ");
            write_load(to, &most)
        }
        Unfit::CapBelowBase { sink } => to
            .push("the longest pause of `")
            .push(sink)
            .push("` is below the first one"),
        Unfit::DrainTooShort { sink, drain, linger, cap } => to
            .push("a drain of ")
            .time(drain)
            .push(" is too short for `")
            .push(sink)
            .push("`: linger ")
            .time(linger)
            .push(", retry ")
            .time(cap),
        Unfit::CommitTooSlow { interval, session } => to
            .push("a commit interval of ")
            .time(interval)
            .push(" is too long for sessions of ")
            .time(session),
        Unfit::FanOut { sink, fan_out, memory } => to
            .push("one record may make ")
            .number(fan_out.rows)
            .push(" rows of `")
            .push(sink)
            .push("`, at least ")
            .size(fan_out.bytes())
            .push(", the budget is ")
            .size(memory),
        Unfit::NoReplica { sink, shard } => to
            .push("shard ")
            .number(shard)
            .push(" of `")
            .push(sink)
            .push("` has no replica"),
        Unfit::SameReplica { sink, replica } => {
            let to = to.push("`").push(sink).push("` names a replica twice: ");
            to.shown(replica)
        }
    }
}

const fn write_load(to: Line, load: &Load<'_>) -> Line {
    to.push("`")
        .push(load.name)
        .push("` ")
        .number(load.batches)
        .push(" batches of ")
        .size(load.batch_bytes)
        .push(" and ")
        .number(load.frames)
        .push(" frames of ")
        .size(load.frame_bytes)
}

const fn write_unfit_help(to: Line, unfit: &Unfit<'_>) -> Line {
    match *unfit {
        Unfit::FeedsItself { what, .. } => to
            .push("every row would come back as a record: write to another ")
            .push(what),
        Unfit::NotItsOwn { what, .. } => to
            .push("what cannot take the rows cannot take their letters: write to a ")
            .push(what)
            .push(" of its own"),
        Unfit::NoShardKey { sink, .. } => to
            .push("write `#[sink(key = ..)]` on `")
            .push(sink)
            .push("` in the module, or `route: round_robin` here"),
        Unfit::BatchBelowFrame { .. } => to.push("`batch_bytes` must be at least `frame_bytes`"),
        Unfit::Budget { needed, lanes, shards, .. } => to
            .number(lanes)
            .push(" lanes and ")
            .number(shards)
            .push(if shards == 1 { " shard" } else { " shards" })
            .push(": set `pipeline.memory` to `")
            .size(needed)
            .push("`, or less to `batch_bytes` and `frame_bytes`"),
        Unfit::CapBelowBase { .. } => to.push("`retry_cap` must be at least `retry_base`"),
        Unfit::DrainTooShort { linger, cap, .. } => to
            .push("set `pipeline.drain_timeout` to at least `")
            .time(linger.saturating_add(cap))
            .push("`"),
        Unfit::CommitTooSlow { session, .. } => to
            .push("set `pipeline.commit_interval` to at most `")
            .time(session / 2)
            .push("`"),
        Unfit::FanOut { fan_out, .. } => to
            .push("a row is at least ")
            .size(fan_out.row_bytes)
            .push(": write a smaller `fan_out` in the module, or set `pipeline.memory` to `")
            .size(fan_out.bytes())
            .push("`"),
        Unfit::NoReplica { .. } => {
            to.push("list the addresses of each shard's replicas, as in `[[a, b], [c]]`")
        }
        Unfit::SameReplica { .. } => {
            to.push("rows of a shard are found on its own replicas only: remove one of them")
        }
    }
}

/// The path of an entry in backticks: `lines.shards[1]`.
const fn write_name(to: Line, entries: &[Entry<'_>], at: usize) -> Line {
    write_path(to.push("`"), entries, at).push("`")
}

const fn write_path(to: Line, entries: &[Entry<'_>], at: usize) -> Line {
    let mut item = 0;
    let mut above = at;
    while above > 0 && entries[above - 1].depth >= entries[at].depth {
        above -= 1;
        item += (entries[above].depth == entries[at].depth) as u64;
    }
    if entries[at].depth == 0 || above == 0 {
        return to.push(entries[at].key);
    }
    let to = write_path(to, entries, above - 1);
    match entries[above - 1].value {
        Value::List => to.push("[").number(item).push("]"),
        _ => to.push(".").push(entries[at].key),
    }
}

const fn write_keys(mut to: Line, sets: &[&[Key]]) -> Line {
    let (mut set, mut any) = (0, false);
    while set < sets.len() {
        let mut i = 0;
        while i < sets[set].len() {
            to = to
                .push(if any { ", `" } else { "`" })
                .push(sets[set][i].name)
                .push("`");
            any = true;
            i += 1;
        }
        set += 1;
    }
    if any { to } else { to.push("nothing") }
}

const fn kind(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "a boolean",
        Type::Integer { .. } => "a whole number",
        Type::Duration => "a duration",
        Type::Size => "a size",
        Type::Text => "a text",
        Type::Choice(_) => "one of its words",
        Type::List(_) => "a list",
        Type::Either(..) => "what it can be",
        Type::TextMap => "a map of texts",
        Type::Section(_) => "a section",
    }
}

const fn write_expected(to: Line, ty: &Type, min: Option<&str>) -> Line {
    let to = match ty {
        Type::Bool => to.push("`true` or `false`"),
        Type::Integer { min, max } if *max == u64::MAX => {
            to.push("a whole number of at least ").number(*min)
        }
        Type::Integer { min, max } => to
            .push("a whole number from ")
            .number(*min)
            .push(" to ")
            .number(*max),
        Type::Duration => to.push("a duration with a unit, such as `250ms`, `1s`, `5m` or `12h`"),
        Type::Size => to.push("a size with a unit, such as `64KiB`, `16MiB` or `1GB`"),
        Type::Text => to.push("a text"),
        Type::Choice(words) => write_words(to, words),
        Type::List(item) => write_expected(to.push("a list, each item "), item, None),
        Type::Either(a, b) => write_expected(write_expected(to, a, None).push(", or "), b, None),
        Type::TextMap => to.push("a map of names to texts"),
        Type::Section(_) => to.push("keys with values, one a line, indented"),
    };
    match min {
        Some(min) => to.push(", at least `").push(min).push("`"),
        None => to,
    }
}

const fn write_words(mut to: Line, words: &[&str]) -> Line {
    let mut i = 0;
    while i < words.len() {
        to = to.push(match i {
            0 => "`",
            _ if i + 1 == words.len() => " or `",
            _ => ", `",
        });
        to = to.push(words[i]).push("`");
        i += 1;
    }
    to
}
