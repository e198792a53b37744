//! P025: an error that is none.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<DeadLetter<'_>>;

    fn price(order: Order<'_>) -> Result<Line<'_>, ()> {
        Ok(line(order))
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .try_map(price)
            .or_to(rejects)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
