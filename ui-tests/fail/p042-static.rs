//! P042: an operator that counts in a `static`.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    static ORDERS: AtomicU64 = AtomicU64::new(0);

    fn counted(order: &Order<'_>) -> bool {
        ORDERS.fetch_add(1, Ordering::Relaxed) < order.id
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(counted)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
