//! P034: an operator that builds a `Vec` of records.

#![deny(deprecated)]

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn twice(order: Order<'_>) -> Vec<Order<'_>> {
        vec![order.clone(), order]
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .flat_map(twice)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
