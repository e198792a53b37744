//! P021: a `try_` stage whose operator cannot fail.

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
            .try_filter(in_stock)
            .or_skip()
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
