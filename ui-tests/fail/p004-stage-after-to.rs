//! P004: a filter behind the end.

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
            .filter(|l| l.id > 0);
    });
}

fn main() {
    let _ = orders::main();
}
