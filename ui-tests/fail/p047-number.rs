//! P047: a number that is not the row of the sink.

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
        events.decode().or_skip().map(|e| e.id).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
