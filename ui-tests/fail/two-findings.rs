//! P002 and P020: all findings of a build at once, in the order of the text.

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
        events.decode().filter(|e| e.qty > 0).map(line).to(lnes);
    });
}

fn main() {
    let _ = orders::main();
}
