//! What the rules over the configuration let through: P018, P019, P045, P050 to P059, P061, P062.

#![deny(warnings)]

use spate::prelude::*;
use ui_tests::*;

#[pipeline(config = "../../../../ui-tests/fixtures/right.yaml")]
pub mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink(key = id)]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<DeadLetter<'_>>;

    chain!(bill, {
        events.decode().or_to(rejects).map(line).to(lines);
    });
}

/// Every section may be left out where no key is required.
#[pipeline(config = "../../../../ui-tests/fixtures/empty.yaml")]
pub mod defaults {
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
    let _ = (orders::main, defaults::main);
}
