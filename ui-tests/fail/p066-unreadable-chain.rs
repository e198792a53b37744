//! P066: a chain that is no Rust.

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
        events.decode().or_skip() -> lines;
    });
}

fn main() {
    let _ = orders::main();
}
