//! P020: a decoder without a policy, in a chain with a contract.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill::<Order<'_>, Line<'_>>, {
        events.decode().map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
