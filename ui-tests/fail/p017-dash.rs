//! P017: a label that no query could be written with.

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
            .filter(|e| e.qty > 0)
            .named("in-stock")
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
