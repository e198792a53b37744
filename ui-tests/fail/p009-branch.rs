//! P009: a branch of a tee that nobody consumes.

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
        let (a, b) = events.decode().or_skip().tee();
        b.map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
