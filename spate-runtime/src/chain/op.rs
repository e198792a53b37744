//! Helpers through which the fused loop calls closures, and the bounds that say what was wrong.
//!
//! Named functions are called directly; a closure needs a function around it so that the type of
//! its parameter is inferred. All of them inline to the closure's body. Lane thread only.

use std::error::Error;

use super::row::Row;
use crate::batch::Meta;

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

impl<E: Error> StageError for E {
    #[inline(always)]
    fn as_error(&self) -> &dyn Error {
        self
    }
}

/// The row that the sink `Sink` is declared with, which is a `Taken`.
///
/// Both parameters are there for the message: generated code has a type per sink, named as it.
#[diagnostic::on_unimplemented(
    message = "records of type `{Self}` cannot be written to `{Sink}`, which takes `{Taken}` [P047]",
    label = "not the row of `{Sink}`",
    note = "help: add a `.map(..)` that makes a `{Taken}` of it"
)]
pub trait RowOf<Sink, Taken>: Row {
    /// What routes the row to its shard.
    fn shard_hash(&self) -> u64;
}

/// A dead letter, as the row of a sink whose declaration does not say `DeadLetter`.
#[diagnostic::on_unimplemented(
    message = "rejects cannot be written to sink `{Sink}`, which takes `{Taken}` [P026]",
    label = "takes no dead letters",
    note = "help: its row must be `DeadLetter<'_>`: `#[sink] fn rejects() -> File<DeadLetter<'_>>;`"
)]
pub trait LetterOf<Sink, Taken>: RowOf<Sink, Taken> {}

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

    #[test]
    fn an_error_keeps_its_text() {
        let number: Result<u32, _> = "x".parse();
        assert_eq!(error(&number.unwrap_err()).to_string(), "invalid digit found in string");
    }
}
