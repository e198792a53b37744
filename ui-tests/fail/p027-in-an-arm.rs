//! P027: a closure that unwraps in the arm of a split.

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
            Kind::Placed => placed
                .filter(|e| e.customer.chars().next().unwrap() != '#')
                .map(line)
                .to(lines),
            Kind::Refunded | Kind::Ping => placed.discard("no lines"),
        }
    });
}

fn main() {
    let _ = orders::main();
}
