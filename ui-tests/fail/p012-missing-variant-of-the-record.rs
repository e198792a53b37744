//! P012: the same in a split of the record itself.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Event<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        match events.decode().or_skip().split() {
            Event::Order(order) => order.map(line).to(lines),
            Event::Ping => events.discard("heartbeat"),
        }
    });
}

fn main() {
    let _ = orders::main();
}
