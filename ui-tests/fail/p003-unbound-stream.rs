//! P003: a stream that no `let` binds.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        let placed = events.decode().or_skip();
        orders.map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
