//! P043: a dedup where nothing says how the source is partitioned.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .dedup(|order| order.id, 65_536)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
