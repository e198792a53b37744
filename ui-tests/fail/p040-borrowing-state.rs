//! P040: a state that borrows from records.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[state]
    #[derive(Default)]
    struct Seen<'a> {
        last: &'a str,
    }

    fn first_time(seen: &mut Seen<'_>, order: &Order<'_>) -> bool {
        seen.last != order.customer
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(first_time)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
