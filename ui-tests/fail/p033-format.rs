//! P033: an operator that formats.

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

    fn marked(order: &Order<'_>) -> bool {
        format!("#{}", order.id).len() > order.customer.len()
    }

    chain!(bill, {
        events.decode().or_skip().filter(marked).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
