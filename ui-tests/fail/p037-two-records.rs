//! P037: a struct that was meant to be a state.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[derive(Default)]
    struct Seen {
        last: u64,
    }

    fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
        std::mem::replace(&mut seen.last, order.id) != order.id
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
