//! P033: an operator that collects.

#![deny(deprecated)]

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn backwards(order: &Order<'_>) -> bool {
        let letters: Vec<char> = order.customer.chars().rev().collect();
        letters.first() == Some(&'#')
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(backwards)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
