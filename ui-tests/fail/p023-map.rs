//! P023: a map whose operator returns an `Option`.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn find(order: Order<'_>) -> Option<Line<'_>> {
        (order.qty > 0).then(|| line(order))
    }

    chain!(bill, {
        events.decode().or_skip().map(find).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
