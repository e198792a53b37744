//! The stages with a memory of their own, and samples; by function, by closure, in branches.
#![deny(warnings, missing_docs, clippy::pedantic)]

use spate::prelude::*;
use ui_tests::{Event, Feed, Line, Order, Plain, Table, line};

/// How many keys a lane remembers.
const SIZE: usize = 1 << 10;

/// Lets an order out with the one before it.
#[derive(Default)]
struct Pairs {
    before: Option<u64>,
}

impl<'a> Operator<Order<'a>> for Pairs {
    type Out = (Option<u64>, Order<'a>);

    fn apply(&mut self, order: Order<'a>) -> impl IntoIterator<Item = Self::Out> {
        let before = self.before.replace(order.id);
        Some((before, order))
    }
}

/// Lets every order out that many times.
struct Copies {
    count: usize,
}

impl Copies {
    const fn of(count: usize) -> Self {
        Self { count }
    }
}

impl<'a> Operator<Order<'a>> for Copies {
    type Out = Order<'a>;

    fn apply(&mut self, order: Order<'a>) -> impl IntoIterator<Item = Order<'a>> {
        std::iter::repeat_n(order, self.count)
    }
}

/// Counts what it sees, by reference.
struct Sums(u64);

impl<'r> Operator<&'r Order<'_>> for Sums {
    type Out = u64;

    fn apply(&mut self, order: &'r Order<'_>) -> impl IntoIterator<Item = u64> {
        self.0 += order.id;
        [self.0]
    }
}

/// All of it, in one line.
#[pipeline]
pub mod straight {
    use super::*;

    #[source(partition_key = id)]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn number(order: &Order<'_>) -> u64 {
        order.id
    }

    const RATE: u64 = 2;

    chain!(all, {
        events
            .decode()
            .or_skip()
            .dedup(number, 65_536)
            .dedup(|order| order.id, SIZE)
            .dedup(|order| (order.id, order.customer), 2 * SIZE)
            .named("by_both")
            .sample(1, 100)
            .sample(RATE, 2 * RATE)
            .sample_by(number, 1, 100)
            .sample_by(|order| order.customer, 10, 100)
            .apply(Copies::of(2))
            .apply(Copies { count: 1 })
            .named("once")
            .apply(Pairs)
            .map(|(_, order)| line(order))
            .to(lines);
    });
}

/// In the branches of a tee and the arms of a split, by reference too.
#[pipeline]
pub mod branched {
    use super::*;

    #[source(partition_key = id)]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[source(partition_key = named)]
    fn others() -> Feed<Plain<Event<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn named<'a>(event: &'a Event<'_>) -> &'a str {
        match event {
            Event::Order(order) | Event::Named { order, .. } => order.customer,
            Event::Ping => "",
        }
    }

    chain!(first, {
        let (sums, orders) = events.decode().or_skip().tee();
        sums.dedup(|order| order.id, 16)
            .sample(1, 2)
            .apply(
                #[op(label = "sums", allow(nondeterministic))]
                Sums(0),
            )
            .map(|id| Line { id, customer: "" })
            .to(lines);
        orders.sample_by(|order| order.id, 1, 2).map(line).to(lines);
    });

    chain!(second, {
        let seen = others.decode().or_skip().dedup(named, 16);
        match seen.split() {
            Event::Order(order) => order.apply(Pairs).map(|(_, order)| line(order)).to(lines),
            Event::Named { order, .. } => order.sample(1, 3).map(line).to(lines),
            Event::Ping => seen.sample(1, 2).discard("ping"),
        }
    });
}

fn main() {
    let labels: Vec<&str> = straight::GRAPH.chains[0]
        .stages
        .iter()
        .map(|stage| stage.label)
        .collect();
    let expected = [
        "decode",
        "dedup",
        "dedup_2",
        "by_both",
        "sample",
        "sample_2",
        "sample_by",
        "sample_by_2",
        "copies",
        "once",
        "pairs",
        "map",
        "to_lines",
    ];
    assert_eq!(labels, expected);
    assert_eq!(straight::GRAPH.chains[0].stages[1].operator, "number, 65_536");
    let _ = branched::GRAPH;
    if std::env::args().len() > 9 {
        let _ = straight::main();
        let _ = branched::main();
    }
}
