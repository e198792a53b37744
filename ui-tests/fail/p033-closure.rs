//! P033: a closure that makes a text of its own.

#![deny(deprecated)]

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
        events
            .decode()
            .or_skip()
            .filter(|e| e.id.to_string().len() > 3)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
