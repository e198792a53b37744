//! P006: an operator with a typo, in the arm of a split.

use spate::prelude::*;

#[pipeline]
mod orders {
    use ui_tests::{Feed, Kind, Line, Order, Plain, Refused, Table, line};

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn price(order: Order<'_>) -> Result<Line<'_>, Refused> {
        if order.is_some() { Ok(line(order)) } else { Err(Refused) }
    }

    chain!(bill, {
        let placed = events.decode().or_skip();
        match placed.split_on(|e| e.kind) {
            Kind::Placed => placed.try_map(prise).or_skip().to(lines),
            Kind::Refunded | Kind::Ping => placed.discard("no lines"),
        }
    });
}

fn main() {
    let _ = orders::main();
}
