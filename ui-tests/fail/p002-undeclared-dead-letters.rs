//! P002: a dead-letter sink that nobody declared.

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
        events.decode().or_to(quarantine).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
