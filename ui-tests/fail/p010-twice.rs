//! P010: a stream that is sent to two sinks.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn copies() -> Table<Line<'_>>;

    chain!(bill, {
        let placed = events.decode().or_skip().map(line);
        placed.to(lines);
        placed.to(copies);
    });
}

fn main() {
    let _ = orders::main();
}
