//! P035: a filter by the clock of this process.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn recent(order: &Order<'_>) -> bool {
        let now = std::time::SystemTime::now();
        now.elapsed().is_ok_and(|age| age.as_secs() < order.id)
    }

    chain!(bill, {
        events.decode().or_skip().filter(recent).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
