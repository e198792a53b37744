//! P006: the same where a glob import hides what there is: rustc says it.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn in_stock(order: &Order<'_>) -> bool {
        order.qty > 0
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(in_stok)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
