//! P005: a size that is not known when it compiles.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source(partition_key = id)]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn size() -> usize {
        65_536
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .dedup(|order| order.id, size())
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
