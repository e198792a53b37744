//! P001: the end was forgotten behind a map, in a let chain.

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
        let placed = events.decode().or_skip();
        placed.map(line)
    });
}

fn main() {
    let _ = orders::main();
}
