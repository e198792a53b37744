//! P012: a split on a number, without a rest.

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
        let orders = events.decode().or_skip();
        match orders.split_on(|e| e.qty) {
            0 => orders.discard("nothing"),
            1 => orders.map(line).to(lines),
        }
    });
}

fn main() {
    let _ = orders::main();
}
