//! P050: a sample of more than there is.

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
        events.decode().or_skip().sample(100, 1).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
