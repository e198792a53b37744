//! Helpers through which the fused loop calls closures, and the bounds that say what was wrong.
//!
//! Named functions are called directly; a closure needs a function around it so that the type of
//! its parameter is inferred. All of them inline to the closure's body. Lane thread only.

use std::error::Error;

use super::dedup::{Dedup, DedupKey};
use super::shard_key::{ShardKey, mix};
use crate::batch::Meta;
use crate::id::Offset;

/// What a filter answers: `bool`.
#[diagnostic::on_unimplemented(
    message = "this filter returns `{Self}`, a filter answers `bool` [P038]",
    label = "not a `bool`",
    note = "help: return `true` to keep the record, `false` to drop it"
)]
pub trait Answer {
    /// Whether the record passes.
    fn passes(self) -> bool;
}

#[diagnostic::do_not_recommend]
impl Answer for bool {
    #[inline(always)]
    fn passes(self) -> bool {
        self
    }
}

/// What a stage may fail with: anything that can be written into a log and a dead letter.
#[diagnostic::on_unimplemented(
    message = "error type `{Self}` cannot be reported [P025]",
    label = "a stage fails with `{Self}`, which is no error",
    note = "help: implement `std::error::Error` for it"
)]
pub trait StageError {
    /// The error as the policies take it.
    fn as_error(&self) -> &dyn Error;
}

#[diagnostic::do_not_recommend]
impl<E: Error> StageError for E {
    #[inline(always)]
    fn as_error(&self) -> &dyn Error {
        self
    }
}

/// The row that the sink `Sink` is declared with, which is a `Taken`.
///
/// `Sink` is there for the message: generated code has a type per sink, named as it.
#[diagnostic::on_unimplemented(
    message = "records of type `{Self}` cannot be written to `{Sink}`, which takes `{Taken}` [P047]",
    label = "not the row of `{Sink}`",
    note = "help: add a `.map(..)` that makes a `{Taken}` of it"
)]
pub trait RowOf<Sink, Taken> {
    /// The same row.
    fn as_row(&self) -> &Taken;
}

#[diagnostic::do_not_recommend]
impl<Sink, Taken> RowOf<Sink, Taken> for Taken {
    #[inline(always)]
    fn as_row(&self) -> &Taken {
        self
    }
}

/// A dead letter, as the row of a sink whose declaration does not say `DeadLetter`.
#[diagnostic::on_unimplemented(
    message = "rejects cannot be written to sink `{Sink}`, which takes `{Taken}` [P026]",
    label = "takes no dead letters",
    note = "help: its row must be `DeadLetter<'_>`: `#[sink] fn rejects() -> File<DeadLetter<'_>>;`"
)]
pub trait LetterOf<Sink, Taken> {
    /// The same letter.
    fn as_letter(&self) -> &Taken;
}

#[diagnostic::do_not_recommend]
impl<Sink, Taken> LetterOf<Sink, Taken> for Taken {
    #[inline(always)]
    fn as_letter(&self) -> &Taken {
        self
    }
}

/// A record on its way into the sink `Sink`.
#[inline(always)]
pub fn row<Sink, Taken, R: RowOf<Sink, Taken>>(row: &R) -> &Taken {
    row.as_row()
}

/// A dead letter on its way into the sink `Sink`.
#[inline(always)]
pub fn letter<Sink, Taken, R: LetterOf<Sink, Taken>>(letter: &R) -> &Taken {
    letter.as_letter()
}

/// Calls a filter.
#[inline(always)]
pub fn filter<T: ?Sized, B: Answer>(record: &T, f: impl FnOnce(&T) -> B) -> bool {
    f(record).passes()
}

/// Calls a filter that looks at where the record comes from.
#[inline(always)]
pub fn filter_meta<'buf, T: ?Sized, B: Answer>(
    record: &T,
    meta: Meta<'buf>,
    f: impl FnOnce(&T, Meta<'buf>) -> B,
) -> bool {
    f(record, meta).passes()
}

/// Calls a map; also a `filter_map` and a `flat_map`, whose results the loop takes apart.
#[inline(always)]
pub fn map<T, U>(record: T, f: impl FnOnce(T) -> U) -> U {
    f(record)
}

/// Calls a map that looks at where the record comes from.
#[inline(always)]
pub fn map_meta<'buf, T, U>(record: T, meta: Meta<'buf>, f: impl FnOnce(T, Meta<'buf>) -> U) -> U {
    f(record, meta)
}

/// Calls what looks at a record and answers: `inspect`, `split_on`, `try_filter`.
#[inline(always)]
pub fn look<'r, T: ?Sized, U>(record: &'r T, f: impl FnOnce(&'r T) -> U) -> U {
    f(record)
}

/// The same, with where the record comes from.
#[inline(always)]
pub fn look_meta<'r, 'buf, T: ?Sized, U>(
    record: &'r T,
    meta: Meta<'buf>,
    f: impl FnOnce(&'r T, Meta<'buf>) -> U,
) -> U {
    f(record, meta)
}

/// The end of a record that is dropped on purpose.
#[inline(always)]
pub fn discard<T>(_record: T) {}

/// Whether this is the first time that the lane sees `key`.
#[inline(always)]
pub fn dedup<K: DedupKey, const N: usize>(memory: &mut Dedup<N>, key: K) -> bool {
    memory.first(&key)
}

/// Whether the payload at `at` is among `N` of `D`: the same for each of its records, and again
/// when it is read again.
#[inline(always)]
pub const fn sample<const N: u64, const D: u64>(at: Offset) -> bool {
    is_among::<N, D>(mix(at.0))
}

/// Whether the records of `key` are among `N` of `D`.
#[inline(always)]
pub fn sample_by<K: ShardKey, const N: u64, const D: u64>(key: K) -> bool {
    // Mixed again: shards are chosen by the same bits, and a sample is to reach all of them.
    is_among::<N, D>(mix(key.shard_hash() ^ 0x9e37_79b9_7f4a_7c15))
}

/// Scales 64 even bits to `0..D`; a smaller part of the same bits lies within a larger one.
#[inline(always)]
const fn is_among<const N: u64, const D: u64>(bits: u64) -> bool {
    (bits as u128 * D as u128) >> 64 < N as u128
}

/// The size of a memory, held against what makes sense where it is an expression.
///
/// # Panics
///
/// If it is 0 or 2^31 and more: in a constant, so while the program is built.
#[must_use]
#[track_caller]
pub const fn checked_size(size: usize) -> usize {
    assert!(size > 0, "this remembers nothing [P050]\nhelp: say how many keys, such as 65_536");
    assert!(size < 1 << 31, "this remembers more than 2^31 keys [P050]\nhelp: take less");
    size
}

/// The two numbers of a sample, held against what makes sense where they are expressions.
///
/// # Panics
///
/// If one is 0 or `n` above `d`: in a constant, so while the program is built.
#[must_use]
#[track_caller]
pub const fn checked_rate(n: u64, d: u64) -> (u64, u64) {
    assert!(n > 0, "this keeps nothing [P050]\nhelp: `.discard(\"reason\")` drops on purpose");
    assert!(d > 0, "this is a part of nothing [P050]\nhelp: one in a hundred is `1, 100`");
    assert!(n <= d, "this keeps more than there is [P050]\nhelp: one in a hundred is `1, 100`");
    (n, d)
}

/// The limit of what an operator gives for one record, where it is an expression.
///
/// # Panics
///
/// If it is 0: in a constant, so while the program is built.
#[must_use]
#[track_caller]
pub const fn checked_fan_out(limit: usize) -> usize {
    assert!(limit > 0, "this may give nothing [P050]\nhelp: say how many, such as 64");
    limit
}

/// An error as the policies take it.
#[inline(always)]
pub fn error<E: StageError>(error: &E) -> &dyn Error {
    error.as_error()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closure_infers_its_parameter() {
        assert!(filter(&(1, "one"), |pair| pair.0 == 1));
        assert_eq!(map((1, "one"), |(number, _)| number + 1), 2);
        assert_eq!(look(&(1, "one"), |pair| pair.1), "one");
    }

    /// Counted over 100,000: one in a hundred within a tenth of it, and on every shard.
    #[test]
    fn a_sample_is_even_over_offsets_keys_and_shards() {
        let all = 0..100_000_u64;
        let kept = all.clone().filter(|at| sample::<1, 100>(Offset(*at)));
        let kept: Vec<u64> = kept.collect();
        assert!((900..1_100).contains(&kept.len()), "{} of 100,000", kept.len());
        let more = |at: &u64| sample::<1, 10>(Offset(*at));
        assert!(kept.iter().all(more), "a smaller sample lies within a larger one");
        let mut shards = [0; 4];
        for key in all.filter(|key| sample_by::<_, 1, 100>(*key)) {
            shards[usize::try_from(key.shard_hash() % 4).unwrap()] += 1;
        }
        assert!(shards.iter().all(|kept| (200..300).contains(kept)), "{shards:?}");
    }

    #[test]
    fn a_whole_sample_keeps_everything() {
        assert!(
            [0, 1, u64::MAX]
                .iter()
                .all(|at| sample::<7, 7>(Offset(*at)))
        );
    }

    #[test]
    fn an_error_keeps_its_text() {
        let number: Result<u32, _> = "x".parse();
        assert_eq!(error(&number.unwrap_err()).to_string(), "invalid digit found in string");
    }
}
