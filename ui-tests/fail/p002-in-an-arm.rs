//! P002: a sink with a typo, in the arm of a split.

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
        match placed.split_on(|e| e.kind) {
            Kind::Placed => placed.map(line).to(lnes),
            Kind::Refunded | Kind::Ping => placed.discard("no lines"),
        }
    });
}

fn main() {
    let _ = orders::main();
}
