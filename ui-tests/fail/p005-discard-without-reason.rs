//! P005: records dropped without a reason.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    chain!(bill, {
        events.decode().or_skip().discard();
    });
}

fn main() {
    let _ = orders::main();
}
