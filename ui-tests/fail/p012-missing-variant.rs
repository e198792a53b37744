//! P012: a split that forgets a case: rustc's own E0004.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        let placed = events.decode().or_skip();
        match placed.split_on(|e| e.kind) {
            Kind::Placed => placed.map(line).to(lines),
            Kind::Ping => placed.discard("heartbeat"),
        }
    });
}

fn main() {
    let _ = orders::main();
}
