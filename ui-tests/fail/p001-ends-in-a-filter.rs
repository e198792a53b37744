//! P001: a path that ends in a filter.

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
        events.decode().or_skip().filter(|e| e.qty > 0);
    });
}

fn main() {
    let _ = orders::main();
}
