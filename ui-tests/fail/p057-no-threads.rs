//! P057: no lane thread.

use spate::prelude::*;
use ui_tests::*;

#[pipeline(config = "../../../../ui-tests/fixtures/p057-no-threads.yaml")]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink(key = id)]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events.decode().or_skip().map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
