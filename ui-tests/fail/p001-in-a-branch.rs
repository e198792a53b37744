//! P001: a branch of a tee that ends nowhere.

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
        first.filter(|e| e.qty > 0);
        last.map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
