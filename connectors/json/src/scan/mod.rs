//! What derived decoders are made of: scanners that know the next key before they see it.
//!
//! Lane thread, inside the fused loop. Pure. A scanner reads one value at the start of a text and
//! gives it with what follows, or nothing: a *surprise*. It never says what is wrong, because the
//! full parser is asked then, about the whole record, and its answer stands. So a scanner may be
//! as narrow as it likes, but whatever it accepts is exactly what serde_json accepts, with the
//! same value and the same end.
//!
//! ```text
//! {"id":7,"sku":"x"}      straight   declared order, no blanks: one comparison a key
//! {"sku": "x", "id": 7}   keyed      any order, learnt; blanks; unknown keys; keys left out
//! {"id":7.0,"sk\u0075":1  surprise   serde_json, from the start of the record
//! ```
//!
//! Generated code calls these functions; hand-written implementations of [`Scan`] may too.

mod absent;
mod float;
mod impls;
mod integer;
mod keys;
mod skip;
mod text;

use serde::Deserialize;

pub use absent::absent;
pub use keys::{Keys, UNKNOWN};
pub use skip::skip;
pub use text::text;

/// A value and what follows it; `None` is a surprise.
pub type Scanned<'de, T> = Option<(T, &'de str)>;

/// A type that is read at the start of a text.
///
/// Derived by `#[derive(Record)]`. An implementation by hand keeps one promise: where it gives a
/// value, serde_json gives an equal one through `Deserialize` and ends at the same byte.
#[diagnostic::on_unimplemented(
    message = "derived decoders do not read `{Self}`",
    label = "this is no record, and no type that records are made of",
    note = "derive it, `#[derive(Deserialize, Record)]`, or leave the field to serde: `#[record(serde)]`"
)]
pub trait Scan<'de>: Sized {
    /// What is remembered from record to record: the order of keys.
    type Plan: Default + Send + 'static;

    /// Whether serde reads the same from its buffer as from the text; it buffers what stands in
    /// an enum with a tag inside.
    const BUFFERED: bool = true;

    /// Reads a value at the start of `rest`, where no blank stands.
    fn scan(rest: &'de str, plan: &mut Self::Plan) -> Scanned<'de, Self>;

    /// The value of a field whose key is not there, if its type has one.
    #[must_use]
    fn missing() -> Option<Self> {
        None
    }
}

/// A record whose fields may stand beside the tag of an enum.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand beside a tag",
    label = "a derived decoder reads structs with `#[derive(Record)]` here",
    note = "derive it, `#[derive(Deserialize, Record)]`, or leave the variant to serde: `#[record(serde)]`"
)]
pub trait Fields<'de>: Scan<'de> {
    /// Reads what follows the tag and its value: `}`, or a comma and the fields. Unknown keys are
    /// a surprise, and so is a second `tag`.
    fn beside_tag(tag: &str, rest: &'de str, plan: &mut Self::Plan) -> Scanned<'de, Self>;
}

/// What follows `literal`.
#[inline(always)]
#[must_use]
pub fn literal<'de>(rest: &'de str, literal: &'static str) -> Option<&'de str> {
    rest.strip_prefix(literal)
}

/// What follows blanks; mostly there are none.
#[inline(always)]
#[must_use]
pub fn blanks(rest: &str) -> &str {
    match rest.as_bytes().first() {
        Some(b' ' | b'\t' | b'\n' | b'\r') => rest.trim_start_matches([' ', '\t', '\n', '\r']),
        _ => rest,
    }
}

/// Behind an opening bracket: whether an item follows, and what follows the blanks, or the closing
/// bracket.
#[inline(always)]
#[must_use]
pub fn open(rest: &str, brackets: [char; 2]) -> Scanned<'_, bool> {
    let rest = blanks(rest.strip_prefix(brackets[0])?);
    Some(match rest.strip_prefix(brackets[1]) {
        Some(rest) => (false, rest),
        None => (true, rest),
    })
}

/// Behind an opening bracket that an item must follow: the item.
#[inline(always)]
#[must_use]
pub fn enter(rest: &str, brackets: [char; 2]) -> Option<&str> {
    let (item, rest) = open(rest, brackets)?;
    item.then_some(rest)
}

/// Behind an item: whether another follows, and what follows the comma or the closing bracket.
#[inline(always)]
#[must_use]
pub fn more(rest: &str, bracket: char) -> Scanned<'_, bool> {
    let rest = blanks(rest);
    match rest.strip_prefix(',') {
        Some(rest) => Some((true, blanks(rest))),
        None => Some((false, rest.strip_prefix(bracket)?)),
    }
}

/// A key and what follows its colon.
#[inline]
#[must_use]
pub fn key(rest: &str) -> Scanned<'_, &str> {
    let (key, rest) = text(rest)?;
    Some((key, blanks(blanks(rest).strip_prefix(':')?)))
}

/// What follows `key` and its colon.
#[inline]
#[must_use]
pub fn key_is<'de>(rest: &'de str, is: &str) -> Option<&'de str> {
    let (key, rest) = key(rest)?;
    (key == is).then_some(rest)
}

/// Behind the last item: what follows the closing bracket.
#[inline(always)]
#[must_use]
pub fn close(rest: &str, bracket: char) -> Option<&str> {
    blanks(rest).strip_prefix(bracket)
}

/// Item `index` of an array, behind the comma that must stand before any but the first.
#[inline(always)]
#[must_use]
pub fn item(rest: &str, index: usize) -> Option<&str> {
    if index == 0 {
        return Some(rest);
    }
    Some(blanks(blanks(rest).strip_prefix(',')?))
}

/// Reads the value by `read`, which gets the whole of its text.
#[inline]
pub fn by<'de, T>(
    rest: &'de str,
    read: impl FnOnce(
        &mut serde_json::Deserializer<serde_json::de::StrRead<'de>>,
    ) -> serde_json::Result<T>,
) -> Scanned<'de, T> {
    let after = skip(rest)?;
    let (value, after) = rest.split_at_checked(rest.len() - after.len())?;
    let mut decoder = serde_json::Deserializer::from_str(value);
    let read = read(&mut decoder).ok()?;
    decoder.end().ok()?;
    Some((read, after))
}

/// Leaves the value to serde.
#[inline]
#[must_use]
pub fn serde<'de, T: Deserialize<'de>>(rest: &'de str) -> Scanned<'de, T> {
    by(rest, |decoder| T::deserialize(decoder))
}
