//! P042: a state with a lock.

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
    struct Seen {
        last: std::sync::Arc<std::sync::Mutex<u64>>,
    }

    fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
        seen.last.lock().is_ok_and(|last| *last != order.id)
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
