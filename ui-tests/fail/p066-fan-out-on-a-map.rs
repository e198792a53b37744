//! P066: a limit on what gives one record for one, whatever it is.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[op(fan_out = 64)]
    fn billed(order: Order<'_>) -> Line<'_> {
        line(order)
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(#[op(fan_out = 2)] |order| order.is_some())
            .map(billed)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
