//! P032: an operator that reads a file, through an import.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;
    use std::fs;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn known(order: &Order<'_>) -> bool {
        fs::read_to_string("customers").is_ok_and(|all| all.contains(order.customer))
    }

    chain!(bill, {
        events.decode().or_skip().filter(known).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
