//! P038: a filter that returns a number.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn count(order: &Order<'_>) -> i64 {
        i64::from(order.qty)
    }

    chain!(bill, {
        events.decode().or_skip().filter(count).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
