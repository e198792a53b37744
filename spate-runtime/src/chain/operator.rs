//! `.apply(op)`: an operator of the user's own, with a memory and as many records out as it likes.

/// A stateful operator: takes a record, gives any number of records.
///
/// The loop calls it as it calls `flat_map`: directly, and what it returns is driven in place, so
/// nothing is boxed and nothing collected. An `Option`, an array and any iterator will do.
///
/// There is one for each lane, made when the lane starts, by `Default` (`.apply(Latest)`) or by
/// the expression written (`.apply(Latest::of(5))`); it ends with the lane's epoch, as a
/// `#[state]` does. A partition that comes back begins with a fresh one, and is read again from
/// its watermark: **what an operator keeps to itself is not covered by the watermark**, and is
/// gone after a crash or a rebalance. Keep what may be forgotten (the last value, a count, a
/// window of keys), and let out what must arrive.
///
/// ```
/// use spate_runtime::chain::operator::Operator;
///
/// /// Lets a reading out when it differs from the one before.
/// #[derive(Default)]
/// struct Changes {
///     last: Option<u32>,
/// }
///
/// impl<'a> Operator<(&'a str, u32)> for Changes {
///     type Out = (&'a str, u32);
///
///     fn apply(&mut self, reading: (&'a str, u32)) -> impl IntoIterator<Item = (&'a str, u32)> {
///         let before = self.last.replace(reading.1);
///         (before != Some(reading.1)).then_some(reading)
///     }
/// }
///
/// let mut changes = Changes::default();
/// assert_eq!(changes.apply(("a", 1)).into_iter().count(), 1);
/// assert_eq!(changes.apply(("b", 1)).into_iter().count(), 0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no operator on records of type `{T}` [P006]",
    label = "does not implement `Operator<{T}>`",
    note = "help: write `impl Operator<{T}> for {Self} {{ type Out = ..; fn apply(&mut self, record: {T}) -> impl IntoIterator<Item = Self::Out> {{ .. }} }}`"
)]
pub trait Operator<T> {
    /// What goes on.
    type Out;

    /// Takes one record; what it returns goes on, in order, before the next record is taken.
    ///
    /// Lane thread; never waits.
    fn apply(&mut self, record: T) -> impl IntoIterator<Item = Self::Out>;

    /// `apply`, as the loop calls it: the record stands first, so that its type is settled when
    /// the operator's is looked at, and what is missing is said of that record.
    #[doc(hidden)]
    #[inline(always)]
    fn take(record: T, operator: &mut Self) -> impl IntoIterator<Item = Self::Out>
    where
        Self: Sized,
    {
        operator.apply(record)
    }
}
