//! P004: a path that ends twice.

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
            .map(line)
            .to(lines)
            .discard("again");
    });
}

fn main() {
    let _ = orders::main();
}
