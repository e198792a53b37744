//! A sink under test.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use spate_runtime::chain::captured::{DecodeRow, RowReader, Values};
use spate_runtime::chain::row::Row;
use spate_runtime::harness::{Answer, Harness, Written};

/// A sink under test: the rows that were written to it, and what becomes of writes to come.
///
/// Rows are those of batches that were written, in the order they landed; rows that linger, or are
/// on their way, are not there yet. They borrow from the test: read them again after a step.
pub struct Sink<'t, R> {
    harness: &'t Harness,
    index: usize,
    row: PhantomData<fn() -> R>,
}

impl<R> fmt::Debug for Sink<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sink")
            .field("name", &self.name())
            .field("rows", &self.len())
            .finish_non_exhaustive()
    }
}

impl<R> Clone for Sink<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Sink<'_, R> {}

impl<'t, R> Sink<'t, R> {
    pub(super) const fn new(harness: &'t Harness, index: usize) -> Self {
        Self { harness, index, row: PhantomData }
    }

    fn name(&self) -> &'static str {
        self.harness.graph().sinks[self.index].name
    }

    /// All rows, as they are typed.
    ///
    /// # Panics
    ///
    /// If a row does not read back as it was written: its type writes by hand what it is not.
    #[must_use]
    #[track_caller]
    pub fn rows(&self) -> Vec<R>
    where
        R: DecodeRow<'t>,
    {
        self.read(R::decode)
    }

    /// The only row, as it is typed.
    ///
    /// # Panics
    ///
    /// If there is no row or more than one, and as [`Sink::rows`].
    #[must_use]
    #[track_caller]
    pub fn row(&self) -> R
    where
        R: DecodeRow<'t>,
    {
        let rows = self.len();
        let (name, lingers) =
            (self.name(), if rows == 0 { "; call `settle()` first?" } else { "" });
        assert!(rows == 1, "`{name}` has {rows} rows, not one{lingers}");
        self.rows().swap_remove(0)
    }

    /// All rows by the names of their columns: for rows that cannot be read back as they are
    /// typed, or compared. `assert_eq!(t.lines().values()[0]["total_cents"], 500)`.
    ///
    /// # Panics
    ///
    /// If a row does not read back: its type writes by hand what it is not.
    #[must_use]
    #[track_caller]
    pub fn values(&self) -> Vec<Values<'t>>
    where
        R: Row,
    {
        self.read(Values::read::<R>)
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.batches()
            .iter()
            .map(|batch| usize::try_from(batch.rows).unwrap_or(0))
            .sum()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The batches that were written, in the order they landed.
    #[must_use]
    pub fn batches(&self) -> &'t [Written] {
        self.harness.written(self.index)
    }

    /// How many writes were tried.
    #[must_use]
    pub fn writes(&self) -> u64 {
        self.harness.world(|world| world.writes(self.index).0)
    }

    /// How many batches the sink dropped because it had their token already.
    #[must_use]
    pub fn duplicates(&self) -> u64 {
        self.harness.world(|world| world.writes(self.index).1)
    }

    /// The next `count` writes succeed, and what is said next concerns those behind them.
    pub fn succeed(&self, count: usize) -> &Self {
        self.answer(count, &Answer::Writes)
    }

    /// The next `count` writes fail and are tried again, after a pause of virtual time.
    pub fn fail(&self, count: usize) -> &Self {
        self.answer(count, &Answer::Fails("the test lets this write fail".to_owned()))
    }

    /// The next write is refused for good, which fails the pipeline.
    pub fn refuse(&self, reason: &str) -> &Self {
        self.answer(1, &Answer::Refuses(reason.to_owned()))
    }

    /// The next write lands and its answer is lost: it is tried again with the same token.
    pub fn lose_answer(&self) -> &Self {
        self.answer(1, &Answer::Loses)
    }

    /// The next write neither lands nor is answered.
    pub fn hang(&self) -> &Self {
        self.answer(1, &Answer::Hangs)
    }

    /// Every write takes so long from now on.
    pub fn delay(&self, time: Duration) -> &Self {
        self.harness.world(|world| world.delay(self.index, time));
        self
    }

    /// Writes succeed at once from now on, whatever was said before.
    pub fn recover(&self) -> &Self {
        self.harness.world(|world| world.recover(self.index));
        self
    }

    /// Gives the sink so many shards; it has one without. Before the first step, or a restart.
    pub fn shards(&self, shards: usize) -> &Self {
        self.harness.world(|world| world.shards(self.index, shards));
        self
    }

    /// Lets the sink keep batches whose token it has already, and merge those of several
    /// partitions; without, it drops them. Before the first step, or a restart.
    pub fn keep_duplicates(&self) -> &Self {
        self.harness
            .world(|world| world.deduplicates(self.index, false));
        self
    }

    fn answer(&self, count: usize, answer: &Answer) -> &Self {
        self.harness.world(|world| {
            for _ in 0..count {
                world.answer(self.index, answer.clone());
            }
        });
        self
    }

    #[track_caller]
    fn read<T, E: fmt::Display>(
        &self,
        mut next: impl FnMut(&mut RowReader<'t>) -> Result<T, E>,
    ) -> Vec<T> {
        let mut rows = Vec::with_capacity(self.len());
        for batch in self.batches() {
            let mut reader = RowReader::new(&batch.bytes);
            while !reader.is_empty() {
                match next(&mut reader) {
                    Ok(row) => rows.push(row),
                    Err(error) => panic!("a row of `{}` does not read back: {error}", self.name()),
                }
            }
        }
        rows
    }
}
