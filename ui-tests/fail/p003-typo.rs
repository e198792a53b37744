//! P003: a source with a typo.

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
        evnts.decode().or_skip().map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
