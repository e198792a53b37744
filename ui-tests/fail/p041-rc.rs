//! P041: a state with an `Rc`.

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
        ring: std::rc::Rc<u64>,
    }

    fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
        *seen.ring != order.id
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
