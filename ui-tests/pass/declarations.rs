//! The twins of the mistakes in declarations: P060 to P066.
#![deny(warnings)]

use spate::prelude::*;
use ui_tests::*;

/// A connector of one's own that is called as one of ours.
#[pipeline]
mod p060 {
    use ui_tests::Feed as Kafka;

    use super::*;

    #[source]
    fn events() -> Kafka<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events.decode().or_skip().map(line).to(lines);
    });
}

/// The body is inline.
#[pipeline]
mod p065 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events.decode().or_skip().map(line).to(lines);
    });
}

/// Every attribute where it belongs; other attributes are left alone.
#[pipeline]
mod p066 {
    use super::*;

    /// With a key.
    #[source(partition_key = id)]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[op(label = "stocked", allow(panic, alloc))]
    #[must_use]
    const fn in_stock(order: &Order<'_>) -> bool {
        order.qty > 0
    }

    /// A function that fans out here may stand in a stage that does not.
    #[op(label = "copied", fan_out = 1 + 1)]
    #[must_use]
    const fn twice(order: Order<'_>) -> [Order<'_>; 2] {
        [Order { ..order }, order]
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(in_stock)
            .flat_map(twice)
            .map(twice)
            .named("pairs")
            .flat_map(#[op(fan_out = 2)] std::convert::identity)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let graphs = [p060::GRAPH, p065::GRAPH, p066::GRAPH];
    assert!(graphs.iter().all(|graph| !graph.chains.is_empty()));
    if std::env::args().len() > 9 {
        let _ = p060::main();
        let _ = p065::main();
        let _ = p066::main();
    }
}
