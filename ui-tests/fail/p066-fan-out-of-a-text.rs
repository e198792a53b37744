//! P066: a limit that is no number, and one that stands where the function is used.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[op(fan_out = "64")]
    fn twice(order: Order<'_>) -> [Order<'_>; 2] {
        [order.clone(), order]
    }

    chain!(bill, {
        events.decode().or_skip().flat_map(#[op(fan_out = 2)] twice).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
