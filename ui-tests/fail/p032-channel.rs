//! P032: an operator that waits for a channel.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[state(init = limits)]
    struct Limits {
        incoming: std::sync::mpsc::Receiver<u32>,
    }

    fn limits() -> Limits {
        Limits { incoming: std::sync::mpsc::channel().1 }
    }

    fn next(limits: &mut Limits, order: &Order<'_>) -> bool {
        limits.incoming.recv().is_ok_and(|limit| limit > order.qty)
    }

    chain!(bill, {
        events.decode().or_skip().filter(next).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
