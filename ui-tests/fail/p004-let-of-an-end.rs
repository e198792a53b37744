//! P004: an end bound to a name.

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
        let done = events.decode().or_skip().map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
