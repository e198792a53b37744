//! P035: an operator that looks at a clock, through an import.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;
    use std::time::Instant;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn timed(order: Order<'_>) -> Order<'_> {
        let qty = Instant::now().elapsed().subsec_nanos();
        Order { qty, ..order }
    }

    chain!(bill, {
        events.decode().or_skip().map(timed).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
