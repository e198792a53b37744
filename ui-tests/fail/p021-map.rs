//! P021: a policy behind a stage that cannot fail.

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
        events.decode().or_skip().map(line).or_skip().to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
