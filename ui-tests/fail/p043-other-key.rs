//! P043: a dedup by something else than what the source is partitioned by.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source(partition_key = id)]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .dedup(|order| order.customer, 65_536)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
