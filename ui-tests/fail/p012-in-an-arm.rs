//! P012: a split in the arm of a split, with a case forgotten.

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
        match orders.split_on(|e| e.qty > 1) {
            true => match orders.split_on(|e| e.kind) {
                Kind::Placed => orders.map(line).to(lines),
                Kind::Ping => orders.discard("heartbeat"),
            },
            false => orders.discard("too few"),
        }
    });
}

fn main() {
    let _ = orders::main();
}
