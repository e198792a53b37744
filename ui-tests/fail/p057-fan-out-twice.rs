//! P057: limits along a path multiply.

use spate::prelude::*;
use ui_tests::*;

const PARTS: usize = 8192;

#[pipeline(config = "../../../../ui-tests/fixtures/empty.yaml")]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[op(fan_out = PARTS)]
    fn parts(order: Order<'_>) -> impl Iterator<Item = Order<'_>> {
        std::iter::repeat_n(order, 3)
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .flat_map(parts)
            .filter(Order::is_some)
            .flat_map(#[op(fan_out = PARTS / 2)] |order| [line(order)])
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
