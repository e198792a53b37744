//! P027: a closure that expects.

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
            .filter(|e| e.qty.checked_sub(1).expect("a quantity") > 0)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
