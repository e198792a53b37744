//! P013: an arm that forgets its end.

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
            Kind::Placed => placed.map(line).to(lines),
            Kind::Refunded | Kind::Ping => placed.filter(|e| e.qty > 0),
        }
    });
}

fn main() {
    let _ = orders::main();
}
