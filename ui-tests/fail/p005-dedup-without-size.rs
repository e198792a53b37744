//! P005: a dedup that does not say how much it remembers.

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
            .dedup(|order| order.id)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
