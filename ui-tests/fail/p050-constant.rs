//! P050: a constant that is no part.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    const NONE: u64 = 0;

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .sample(NONE, 100)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
