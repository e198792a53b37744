//! P020: a fallible stage without a policy, in a branch of a tee.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn price(order: Order<'_>) -> Result<Line<'_>, Refused> {
        if order.is_some() { Ok(line(order)) } else { Err(Refused) }
    }

    chain!(bill, {
        let (first, last) = events.decode().or_skip().tee();
        first
            .map(|e| Line { id: e.id, customer: e.customer })
            .to(lines);
        last.try_map(price).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
