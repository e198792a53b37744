//! P007: a contract that names another row.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill::<Order<'_>, Order<'_>>, {
        events.decode().or_skip().map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
