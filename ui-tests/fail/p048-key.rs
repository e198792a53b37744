//! P048: a key that is not what the table is sharded by.

use spate::prelude::*;
use ui_tests::{Feed, Order, Plain};

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/sharded.sql")]
struct Local {
    id: u64,
    customer: u64,
}

fn local(order: Order<'_>) -> Local {
    Local { id: order.id, customer: 1 }
}

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink(key = id)]
    fn lines() -> ClickHouse<Local>;

    chain!(bill, {
        events.decode().or_skip().map(local).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
