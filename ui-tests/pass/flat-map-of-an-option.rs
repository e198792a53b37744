//! An `Option` or a `Result` goes on by itself in a `flat_map`, and no lint speaks of a loop.

#![deny(warnings)]

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn some(order: Order<'_>) -> Option<Order<'_>> {
        (order.qty > 0).then_some(order)
    }

    chain!(bill, {
        events.decode().or_skip().flat_map(some).flat_map(|order| Some(line(order))).to(lines);
    });
}

fn main() {
    let _ = orders::main;
}
