//! P045: several shards and no key.

use spate::prelude::*;
use ui_tests::*;

#[pipeline(config = "../../../../ui-tests/fixtures/two-shards.yaml")]
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
