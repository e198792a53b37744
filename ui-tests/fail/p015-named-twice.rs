//! P015: two stages with the same name.

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
            .filter(|e| e.qty > 0)
            .named("some")
            .filter(|e| e.id > 0)
            .named("some")
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
