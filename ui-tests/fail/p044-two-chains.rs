//! P044: a state that two chains would each have for themselves.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[source]
    fn more() -> Feed<Plain<Order<'_>>>;

    #[state]
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

    chain!(copy, {
        more.decode()
            .or_skip()
            .filter(first_time)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
