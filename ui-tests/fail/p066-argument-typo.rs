//! P066: an argument of the pipeline with a typo.

use spate::prelude::*;
use ui_tests::*;

#[pipeline(confg = "orders.yaml")]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events.decode().or_skip().map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
