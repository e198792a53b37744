//! P036: the same in a closure.

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
            .inspect(|e: &mut Order<'_>| e.qty = 1)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
