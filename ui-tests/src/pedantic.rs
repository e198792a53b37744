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
}
