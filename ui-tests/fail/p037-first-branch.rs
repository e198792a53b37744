//! P037: an operator that moves its record in the first branch of a tee.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn bill(order: Order<'_>) -> Line<'_> {
        line(order)
    }

    chain!(bill, {
        let (a, b) = events.decode().or_skip().tee();
        a.map(bill).to(lines);
        b.discard("done");
    });
}

fn main() {
    let _ = orders::main();
}
