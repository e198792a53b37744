//! Shapes of pipelines: several sources, three ways, splits in splits and in a tee, a long chain.
#![deny(warnings, missing_docs, clippy::pedantic)]

use spate::prelude::*;
use ui_tests::{Event, Feed, Kind, Line, Order, Plain, Table, line};

/// Two sources; three sinks behind a tee; a split inside of one and splits inside of splits.
#[pipeline]
pub mod wide {
    use super::*;

    #[source]
    fn orders() -> Feed<Plain<Order<'_>>>;

    #[source]
    fn events() -> Feed<Plain<Event<'_>>>;

    #[sink(key = id)]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn copies() -> Table<Line<'_>>;

    #[sink]
    fn audit() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<DeadLetter<'_>>;

    fn copy<'a>(order: &Order<'a>) -> Line<'a> {
        Line { id: order.id, customer: order.customer }
    }

    chain!(first, {
        let (billed, copied, audited) = orders.decode().or_to(rejects).tee();
        billed.map(copy).to(lines);
        match copied.split_on(|order| order.kind) {
            Kind::Placed => copied.map(copy).named("copied").to(copies),
            Kind::Refunded => {
                let (large, small) = copied.tee();
                large.filter(|order| order.qty > 8).map(copy).named("large").to(copies);
                small.filter(|order| order.qty <= 8).map(copy).named("small").to(audit);
            }
            Kind::Ping => copied.discard("heartbeat"),
        }
        audited.map(line).to(audit);
    });

    chain!(second, {
        match events.decode().or_skip().split() {
            Event::Order(order) => match order.split_on(|order| order.qty > 1) {
                true => match order.split_on(|order| order.kind) {
                    Kind::Placed => order.map(line).to(lines),
                    Kind::Refunded | Kind::Ping => order.discard("no order"),
                },
                false => order.map(line).named("single").to(copies),
            },
            Event::Named { order, .. } if order.id > 7 => order.map(line).named("young").to(audit),
            Event::Named { order, .. } => order.discard("old"),
            Event::Ping => events.discard("heartbeat"),
        }
    });
}

/// Thirty stages.
#[pipeline]
pub mod long {
    use super::*;

    #[source(partition_key = id)]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn more(order: Order<'_>) -> Order<'_> {
        Order { qty: order.qty + 1, ..order }
    }

    chain!({
        events
            .decode()
            .or_skip()
            .filter(|order| order.id != 1)
            .map(|order| Order { qty: order.qty + 1, ..order })
            .flat_map(|order| [order])
            .inspect(|order| _ = order.id)
            .filter(|order| order.id != 2)
            .map(|order| Order { qty: order.qty + 2, ..order })
            .flat_map(|order| [order])
            .inspect(|order| _ = order.id)
            .filter(|order| order.id != 3)
            .map(|order| Order { qty: order.qty + 3, ..order })
            .flat_map(|order| [order])
            .inspect(|order| _ = order.id)
            .filter(|order| order.id != 4)
            .map(|order| Order { qty: order.qty + 4, ..order })
            .flat_map(|order| [order])
            .inspect(|order| _ = order.id)
            .filter(|order| order.id != 5)
            .map(|order| Order { qty: order.qty + 5, ..order })
            .flat_map(|order| [order])
            .inspect(|order| _ = order.id)
            .filter(|order| order.id != 6)
            .map(|order| Order { qty: order.qty + 6, ..order })
            .flat_map(|order| [order])
            .inspect(|order| _ = order.id)
            .dedup(|order| order.id, 64)
            .sample(9, 10)
            .map(more)
            .map(line)
            .to(lines);
    });
}

fn main() {
    assert_eq!(wide::GRAPH.chains.len(), 2);
    assert_eq!(long::GRAPH.chains[0].stages.len(), 30);
    assert_ne!(wide::GRAPH.pipeline, long::GRAPH.pipeline, "two pipelines in one program");
    if std::env::args().len() > 9 {
        let _ = wide::main();
        let _ = long::main();
        let _ = (wide::pipeline(wide::Config::empty()), long::pipeline(long::Config::empty()));
    }
}
