//! P027: an operator with a case that is still to do.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn in_stock(order: &Order<'_>) -> bool {
        match order.kind {
            Kind::Placed => order.qty > 0,
            Kind::Refunded | Kind::Ping => todo!(),
        }
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(in_stock)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
