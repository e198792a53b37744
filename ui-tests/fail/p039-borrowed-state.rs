//! P039: items that keep the state borrowed.

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
    struct Seen {
        last: u64,
    }

    fn copies<'a>(seen: &mut Seen, order: Order<'a>) -> impl Iterator<Item = Order<'a>> {
        seen.last += 1;
        std::iter::once(order)
    }

    fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
        seen.last != order.id
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .flat_map(copies)
            .filter(first_time)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
