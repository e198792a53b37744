//! P006: a type that is no operator.

use spate::prelude::*;
use ui_tests::*;

#[derive(Default)]
struct Latest(u64);

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events.decode().or_skip().apply(Latest).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
