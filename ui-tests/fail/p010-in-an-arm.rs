//! P010: a stream used in an arm of another's split.

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
        let (a, b) = events.decode().or_skip().tee();
        match a.split_on(|e| e.kind) {
            Kind::Placed => b.map(line).to(lines),
            Kind::Refunded | Kind::Ping => a.discard("no lines"),
        }
    });
}

fn main() {
    let _ = orders::main();
}
