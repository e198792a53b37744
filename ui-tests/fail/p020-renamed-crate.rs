//! P020: with the facade under another name: a decode without a policy.

extern crate spate as pipes;

use pipes::prelude::*;
use ui_tests::*;

#[pipeline(crate = ::spate)]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events.decode().map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
