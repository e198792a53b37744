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

/// What one record may make at most is as large as the budget, and not larger.
#[pipeline(config = "../../../../ui-tests/fixtures/right.yaml")]
pub mod fanning_out {
    use super::*;

    /// As many rows of at least 20 bytes as 1 GiB holds.
    const MOST: usize = (1 << 30) / 20;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink(key = id)]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<DeadLetter<'_>>;

    #[op(fan_out = MOST)]
    fn copies(order: Order<'_>) -> impl Iterator<Item = Line<'_>> {
        std::iter::repeat_n(order, 3).map(line)
    }

    chain!(bill, {
        events
            .decode()
            .or_to(rejects)
            .flat_map(copies)
            .to(lines);
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
    let _ = (orders::main, fanning_out::main, defaults::main);
}
