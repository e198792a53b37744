//! P046: a key that has no one hash.

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
        events
            .decode()
            .or_skip()
            .sample_by(|order| f64::from(order.qty), 1, 100)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
