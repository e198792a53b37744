//! P042: a state with an atomic.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[state]
    struct Seen {
        last: AtomicU64,
    }

    fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
        seen.last.swap(order.id, Ordering::Relaxed) != order.id
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
