//! P050: an operator that may give nothing.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[op(fan_out = 0)]
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
