//! P041: an `Rc` that the module imports, deeper in a field.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use std::rc::Rc;

    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[state]
    #[derive(Default)]
    struct Seen {
        last: u64,
        ring: Vec<Rc<u64>>,
    }

    fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
        seen.last != order.id && seen.ring.is_empty()
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
