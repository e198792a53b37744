//! P009: a stream that nobody consumes.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    chain!(bill, {
        let placed = events.decode().or_skip();
    });
}

fn main() {
    let _ = orders::main();
}
