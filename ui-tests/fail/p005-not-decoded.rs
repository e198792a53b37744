//! P005: payloads that nothing decodes.

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
        events.filter(|e| e.qty > 0).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
