//! P059: a promise that nobody makes, for the pipeline and for a sink.

use spate::prelude::*;
use ui_tests::*;

#[pipeline(config = "../../../../ui-tests/fixtures/p059-effectively-once.yaml")]
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
