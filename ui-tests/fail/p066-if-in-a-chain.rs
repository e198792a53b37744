//! P066: an `if` in a chain.

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
        if true {
            placed.map(line).to(lines)
        }
    });
}

fn main() {
    let _ = orders::main();
}
