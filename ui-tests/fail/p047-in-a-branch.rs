//! P047: a record that is no row, in the last branch of a tee.

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
        let (first, last) = events.decode().or_skip().tee();
        first
            .map(|e| Line { id: e.id, customer: e.customer })
            .to(lines);
        last.to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
