//! The pipeline of the guide's first page, on the connectors of the fixtures.
#![deny(warnings, missing_docs, unreachable_pub)]
#![forbid(unsafe_code)]

use spate::prelude::*;
use ui_tests::{Feed, Kind, Line, Order, Plain, Refused, Table};

/// Orders into tables.
#[pipeline]
pub mod orders {
    use super::*;

    /// Where records come from.
    #[source(partition_key = id)]
    fn events() -> Feed<Plain<Order<'_>>>;

    /// Where rows go.
    #[sink(key = id)]
    fn lines() -> Table<Line<'_>>;

    #[sink(key = id)]
    fn refunds() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> File<DeadLetter<'_>>;

    /// Remembers recent ids.
    #[state]
    struct Seen {
        recent: RecentKeys<u64, 65_536>,
    }

    fn in_stock(order: &Order<'_>) -> bool {
        order.qty > 0
    }

    fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
        seen.recent.insert(order.id)
    }

    fn price(order: Order<'_>) -> Result<Line<'_>, Refused> {
        if order.qty > 1_000 { Err(Refused) } else { Ok(ui_tests::line(order)) }
    }

    fn refund(order: Order<'_>) -> Line<'_> {
        ui_tests::line(order)
    }

    chain!(bill, {
        let placed = events
            .decode()
            .or_to(rejects)
            .filter(in_stock)
            .filter(first_time);

        match placed.split_on(|e| e.kind) {
            Kind::Placed => placed.try_map(price).or_skip().to(lines),
            Kind::Refunded => placed.map(refund).to(refunds),
            Kind::Ping => placed.discard("heartbeat"),
        }
    });
}

fn main() {
    // Not run here: what counts is that it builds.
    if std::env::args().len() > 9 {
        let _ = orders::main();
    }
}
