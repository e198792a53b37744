//! P027: an operator that asserts.

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
        assert!(order.qty > 0, "no quantity");
        true
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
