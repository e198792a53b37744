//! P038: a filter that can fail.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn checked(order: &Order<'_>) -> Result<bool, Refused> {
        Ok(order.qty > 0)
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(checked)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
