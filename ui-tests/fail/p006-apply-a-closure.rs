//! P006: a closure where something with a memory is asked for.

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
            .apply(|order| [order])
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
