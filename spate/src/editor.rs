//! What an editor sees of a chain: its stages as typed methods, with their documentation.
//!
//! Nothing of this runs. When `#[pipeline]` is expanded by an editor's language server it writes
//! each chain, token for token, as an expression over these types, before the loop: so a dot
//! completes to the stages, a closure knows its record, and every stage has a page to hover.
//! In a build the expression does not exist.

use std::marker::PhantomData;

use spate_runtime::batch::Meta;
use spate_runtime::chain::dedup::DedupKey;
use spate_runtime::chain::operator::Operator;
use spate_runtime::chain::shard_key::ShardKey;

/// A source: payloads, before they are decoded.
#[derive(Debug)]
pub struct Source<'buf, R>(PhantomData<(&'buf (), R)>);

/// Records of type `T` on their way through a chain.
#[derive(Debug)]
pub struct Stream<'buf, T>(PhantomData<(&'buf (), T)>);

/// A branch of a tee that is not the last: it looks at records, and a `map` makes its own of them.
#[derive(Debug)]
pub struct Branch<'buf, T>(PhantomData<(&'buf (), T)>);

/// A stage that can fail, before its policy: what its records go on as is an `S`.
#[derive(Debug)]
pub struct Fallible<S>(S);

/// A declared sink, which takes rows of type `R`.
#[derive(Debug)]
pub struct Sink<R>(PhantomData<R>);

impl<R> Clone for Sink<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Sink<R> {}

/// A declared source.
#[must_use]
pub fn source<'buf, R>() -> Source<'buf, R> {
    Source(PhantomData)
}

/// A declared sink.
#[must_use]
pub fn sink<R>() -> Sink<R> {
    Sink(PhantomData)
}

/// What an operator gets beside its record: a state, a lookup, where the record comes from.
///
/// # Panics
///
/// Always: it stands where nothing runs.
#[must_use]
pub fn given<T>() -> T {
    unreachable!("what an editor sees does not run")
}

impl<'buf, R> Source<'buf, R> {
    /// Decodes payloads with the source's format into records; a policy must follow.
    ///
    /// A tombstone (a payload without a value) is counted and dropped.
    pub fn decode(self) -> Fallible<Stream<'buf, R>> {
        Fallible(Stream(PhantomData))
    }

    /// Decodes payloads with a function of one's own, `.decode(f)`; a policy must follow.
    pub fn decode_with<T, E>(
        self,
        _decode: impl FnOnce(Meta<'buf>) -> Result<T, E>,
    ) -> Fallible<Stream<'buf, T>> {
        Fallible(Stream(PhantomData))
    }

    /// Takes payloads as they are.
    pub fn raw(self) -> Stream<'buf, Meta<'buf>> {
        Stream(PhantomData)
    }
}

/// The stages of a stream and of a branch differ in how they hand their record to an operator.
macro_rules! stages {
    ($this:ident, $record:ty, $arm:ty $(, $life:lifetime)?) => {
        impl<T> Clone for $this<'_, T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $this<'_, T> {}

        impl<'buf, T> $this<'buf, T> {
            /// Keeps the records for which the operator answers `true`; the others are counted
            /// under its label.
            pub fn filter(self, _keep: impl FnOnce(&T) -> bool) -> Self {
                self
            }

            /// Makes one record of each: `T -> U`.
            pub fn map<$($life,)? U>(self, _map: impl FnOnce($record) -> U) -> Stream<'buf, U>
            $(where T: $life)?
            {
                Stream(PhantomData)
            }

            /// Makes one record of each, or none: `T -> Option<U>`; those without are counted.
            pub fn filter_map<$($life,)? U>(
                self,
                _map: impl FnOnce($record) -> Option<U>,
            ) -> Stream<'buf, U>
            $(where T: $life)?
            {
                Stream(PhantomData)
            }

            /// Makes any number of records of each: `T -> impl Iterator<Item = U>`, or an array.
            ///
            /// The iterator is driven inside the loop; nothing is collected.
            pub fn flat_map<$($life,)? I: IntoIterator>(
                self,
                _map: impl FnOnce($record) -> I,
            ) -> Stream<'buf, I::Item>
            $(where T: $life)?
            {
                Stream(PhantomData)
            }

            /// Looks at each record.
            pub fn inspect(self, _look: impl FnOnce(&T)) -> Self {
                self
            }

            /// Runs an operator with a memory, one for each lane: a type, or what makes one.
            ///
            /// What it returns goes on by itself, as in `flat_map`.
            pub fn apply<$($life,)? O: Operator<$record>>(self, _operator: O) -> Stream<'buf, O::Out>
            $(where T: $life)?
            {
                Stream(PhantomData)
            }

            /// Drops a record whose key is among the last `size` of its lane: `.dedup(|e| e.id, 65_536)`.
            pub fn dedup<'k, K: DedupKey>(
                self,
                _key: impl FnOnce(&'k T) -> K,
                _size: usize,
            ) -> Self
            where
                T: 'k,
            {
                self
            }

            /// Keeps `n` of `d` payloads, by their offset: the same when they are read again.
            pub fn sample(self, _n: u64, _d: u64) -> Self {
                self
            }

            /// Keeps the records of `n` of `d` keys: the same when they are read again.
            pub fn sample_by<'k, K: ShardKey>(
                self,
                _key: impl FnOnce(&'k T) -> K,
                _n: u64,
                _d: u64,
            ) -> Self
            where
                T: 'k,
            {
                self
            }

            /// A filter that can fail: `&T -> Result<bool, E>`; a policy must follow.
            pub fn try_filter<E>(
                self,
                _keep: impl FnOnce(&T) -> Result<bool, E>,
            ) -> Fallible<Self> {
                Fallible(self)
            }

            /// A map that can fail: `T -> Result<U, E>`; a policy must follow.
            pub fn try_map<$($life,)? U, E>(
                self,
                _map: impl FnOnce($record) -> Result<U, E>,
            ) -> Fallible<Stream<'buf, U>>
            $(where T: $life)?
            {
                Fallible(Stream(PhantomData))
            }

            /// A map to one record or none that can fail: `T -> Result<Option<U>, E>`; a policy
            /// must follow.
            pub fn try_filter_map<$($life,)? U, E>(
                self,
                _map: impl FnOnce($record) -> Result<Option<U>, E>,
            ) -> Fallible<Stream<'buf, U>>
            $(where T: $life)?
            {
                Fallible(Stream(PhantomData))
            }

            /// A map to any number of records that can fail: `T -> Result<I, E>`; a policy must
            /// follow.
            pub fn try_flat_map<$($life,)? I: IntoIterator, E>(
                self,
                _map: impl FnOnce($record) -> Result<I, E>,
            ) -> Fallible<Stream<'buf, I::Item>>
            $(where T: $life)?
            {
                Fallible(Stream(PhantomData))
            }

            /// Gives the stage before it this label, in metrics, logs and the graph.
            pub fn named(self, _label: &str) -> Self {
                self
            }

            /// Sends each record down several branches, in order: `let (a, b) = path.tee();`.
            ///
            /// All but the last see `&T`.
            pub fn tee(self) -> Self {
                self
            }

            /// Splits by the record itself: `match path.split() { V::A(a) => .., V::B(b) => .. }`.
            ///
            /// An arm goes on with what its pattern binds.
            pub fn split<$($life)?>(self) -> $record
            $(where T: $life)?
            {
                given()
            }

            /// Splits by a key: `match path.split_on(|e| e.kind) { Kind::A => .., Kind::B => .. }`.
            ///
            /// An arm goes on with the record, under the split's own name.
            pub fn split_on<K>(self, _key: impl FnOnce(&T) -> K) -> K {
                given()
            }

            /// Ends the path: its records are rows of `sink`.
            pub fn to<R>(self, _sink: Sink<R>) {}

            /// Ends the path: its records are dropped on purpose, and counted with this reason.
            pub fn discard(self, _reason: &str) {}

            #[doc(hidden)]
            pub fn branch(self) -> Branch<'buf, T> {
                Branch(PhantomData)
            }

            #[doc(hidden)]
            pub fn arm<U>(self, _bound: $arm) -> $this<'buf, U> {
                $this(PhantomData)
            }
        }
    };
}

stages!(Stream, T, U);
stages!(Branch, &'r T, &U, 'r);

impl<S> Fallible<S> {
    /// Counts a record that failed and logs it at a bounded rate; the others go on.
    pub fn or_skip(self) -> S {
        self.0
    }

    /// Stops the pipeline at a record that failed, with the watermark before its payload.
    pub fn or_stop(self) -> S {
        self.0
    }

    /// Writes the payload of a record that failed to a sink of `DeadLetter<'_>`, with the reason.
    pub fn or_to<R>(self, _sink: Sink<R>) -> S {
        self.0
    }

    /// Gives the stage before it this label, in metrics, logs and the graph.
    #[must_use]
    pub fn named(self, _label: &str) -> Self {
        self
    }
}
