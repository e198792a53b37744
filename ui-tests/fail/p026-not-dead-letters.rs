//! P026: rejects sent to a sink of other rows.

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
        events.decode().or_to(lines).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
