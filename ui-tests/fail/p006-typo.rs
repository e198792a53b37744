//! P006: a function with a typo, in a module that imports by name.

use spate::prelude::*;

#[pipeline]
mod orders {
    use ui_tests::{Feed, Line, Order, Plain, Table, line};

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
