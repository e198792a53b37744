//! P019: dead letters go where the rows go.

use spate::prelude::*;
use ui_tests::*;

#[pipeline(config = "../../../../ui-tests/fixtures/p019-shared-place.yaml")]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink(key = id)]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<DeadLetter<'_>>;

    chain!(bill, {
        events.decode().or_to(rejects).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
