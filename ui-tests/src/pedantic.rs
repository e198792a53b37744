//! Pipelines of a library under clippy's strictest groups: what is generated has no finding.

#![warn(clippy::pedantic, clippy::nursery, missing_docs)]

use spate::prelude::*;

use super::{Feed, Line, Order, Plain, Table, line};

/// One of each: a state, a keyed sink, a dead-letter sink, a split, a tee, closures, policies.
#[pipeline]
pub mod strict {
    use super::{DeadLetter, Feed, Line, Order, Plain, Table, line};

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink(key = id)]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn few() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<DeadLetter<'_>>;

    #[state]
    struct Seen {
        orders: u64,
    }

    const fn count(seen: &mut Seen, order: &Order<'_>) -> bool {
        seen.orders += 1;
        order.is_some()
    }

    fn copy<'a>(order: &Order<'a>) -> Line<'a> {
        line(order.clone())
    }

    chain!(bill, {
        let placed = events.decode().or_to(rejects).filter(count);
        let (copied, split) = placed.tee();
        copied.map(copy).to(lines);
        match split.split_on(|order| order.qty < 10) {
            true => split.map(line).to(few),
            false => split.discard("many"),
        }
    });
}

/// The last order's number, to let out what follows it.
#[derive(Default)]
struct Latest(u64);

impl<'a> Operator<Order<'a>> for Latest {
    type Out = Order<'a>;

    fn apply(&mut self, order: Order<'a>) -> impl IntoIterator<Item = Order<'a>> {
        let before = std::mem::replace(&mut self.0, order.id);
        (before < order.id).then_some(order)
    }
}

/// The stages that keep something, with closures and constants.
#[pipeline]
pub mod keeping {
    use super::{Feed, Latest, Line, Order, Plain, Table, line};

    #[source(partition_key = id)]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    const SIZE: usize = 64;
    const RATE: u64 = 1;

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(|order| order.qty > 0)
            .dedup(|order| order.id, SIZE)
            .sample(RATE, 1)
            .sample_by(|order| order.customer, RATE, 1)
            .apply(Latest)
            .inspect(|order| debug_assert!(order.id > 0))
            .map(line)
            .to(lines);
    });
}

/// A row of every kind of field.
#[derive(Row, Debug)]
pub struct Wide<'a> {
    /// A text that borrows.
    pub text: Cow<'a, str>,
    /// A list.
    pub numbers: Vec<Option<u32>>,
    /// No column.
    #[row(skip)]
    pub note: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strict_pipeline_runs_under_test() {
        let mut t = strict::test();
        t.events().push("ada");
        t.settle();
        assert_eq!((t.lines().len(), t.few().row().customer), (1, "ada"));
        assert_eq!(t.counter("count").filtered, 0);
    }

    #[test]
    fn a_strict_pipeline_that_keeps_something_runs_under_test() {
        let mut t = keeping::test();
        t.events().push("ada");
        t.events().push("ada");
        t.settle();
        assert_eq!(t.lines().row().customer, "ada");
    }
}
