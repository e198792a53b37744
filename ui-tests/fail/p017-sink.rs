//! P017: a label that the end of the path has.

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
            .map(line)
            .named("to_lines")
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
