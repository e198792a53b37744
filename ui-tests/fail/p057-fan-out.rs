//! P057: what one order may become does not fit into the budget.

use spate::prelude::*;
use ui_tests::*;

#[pipeline(config = "../../../../ui-tests/fixtures/p057-fan-out.yaml")]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[op(fan_out = 10_000_000)]
    fn copies(order: Order<'_>) -> impl Iterator<Item = Line<'_>> {
        std::iter::repeat_n(order, 3).map(line)
    }

    chain!(bill, {
        events.decode().or_skip().flat_map(copies).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
