//! P027: an operator that unwraps.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn halved(order: Order<'_>) -> Order<'_> {
        let qty = order.qty.checked_div(2).unwrap();
        Order { qty, ..order }
    }

    chain!(bill, {
        events.decode().or_skip().map(halved).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
