//! P032: an operator that sleeps.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn slowly(order: &Order<'_>) -> bool {
        std::thread::sleep(std::time::Duration::from_millis(1));
        order.qty > 0
    }

    chain!(bill, {
        events.decode().or_skip().filter(slowly).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
