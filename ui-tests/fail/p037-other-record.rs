//! P037: an operator of another record: rustc's E0308 at its name.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn is_ping(event: &Event<'_>) -> bool {
        matches!(event, Event::Ping)
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(is_ping)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
