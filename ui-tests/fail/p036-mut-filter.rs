//! P036: a filter that takes its record by `&mut`.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn clamp(order: &mut Order<'_>) -> bool {
        order.qty = order.qty.min(9);
        true
    }

    chain!(bill, {
        events.decode().or_skip().filter(clamp).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
