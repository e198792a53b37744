//! P005: a match on a stream instead of a split.

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
        match events.decode().or_skip() {
            other => other.map(line).to(lines),
        }
    });
}

fn main() {
    let _ = orders::main();
}
