//! P006: a number where an operator is meant.

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
        events.decode().or_skip().filter(7).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
