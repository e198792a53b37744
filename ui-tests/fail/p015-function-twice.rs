//! P015: a function that two branches call.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn copy<'a>(order: &Order<'a>) -> Line<'a> {
        line(order.clone())
    }

    chain!(bill, {
        let (a, b) = events.decode().or_skip().tee();
        a.map(copy).to(lines);
        b.filter(|e| e.qty > 0).map(copy).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
