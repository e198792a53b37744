//! P033: the same, in a module that denies it.

use spate::prelude::*;
use ui_tests::*;

#[pipeline(alloc = deny)]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[state]
    struct Seen {
        customers: std::collections::BTreeSet<String>,
    }

    fn known(seen: &mut Seen, order: &Order<'_>) -> bool {
        seen.customers.insert(order.customer.to_owned())
    }

    chain!(bill, {
        events.decode().or_skip().filter(known).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
