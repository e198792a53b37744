//! P037: an operator that takes another record by value.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn same(line: Line<'_>) -> Line<'_> {
        line
    }

    chain!(bill, {
        events.decode().or_skip().map(same).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
