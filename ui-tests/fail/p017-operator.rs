//! P017: an operator with such a label.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[op(label = "In Stock")]
    fn in_stock(order: &Order<'_>) -> bool {
        order.qty > 0
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(in_stock)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
