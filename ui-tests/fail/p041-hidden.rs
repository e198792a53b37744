//! P041: an `Rc` inside of a type from elsewhere: rustc says it, at the state.

use spate::prelude::*;
use ui_tests::*;

#[derive(Default)]
struct Ring {
    items: std::rc::Rc<u64>,
}

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
        ring: Ring,
    }

    fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
        *seen.ring.items != order.id
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
