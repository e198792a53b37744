//! P046: a key that cannot be one.

use spate::prelude::*;
use ui_tests::*;

#[derive(Row)]
struct Price {
    cents: f64,
}

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink(key = cents)]
    fn prices() -> Table<Price>;

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .map(|e| Price { cents: 0.5 * f64::from(e.qty) })
            .to(prices);
    });
}

fn main() {
    let _ = orders::main();
}
