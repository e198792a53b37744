//! P030: an async operator in the arm of a split.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    async fn in_stock(order: &Order<'_>) -> bool {
        order.qty > 0
    }

    chain!(bill, {
        let placed = events.decode().or_skip();
        match placed.split_on(|e| e.kind) {
            Kind::Placed => placed.filter(in_stock).map(line).to(lines),
            Kind::Refunded | Kind::Ping => placed.discard("no lines"),
        }
    });
}

fn main() {
    let _ = orders::main();
}
