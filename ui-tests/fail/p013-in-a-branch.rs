//! P013: an arm without an end, in a branch of a tee.

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
        let (first, last) = events.decode().or_skip().tee();
        first
            .map(|e| Line { id: e.id, customer: e.customer })
            .to(lines);
        match last.split_on(|e| e.kind) {
            Kind::Placed => last.map(line).to(lines),
            Kind::Refunded => {}
            Kind::Ping => last.discard("heartbeat"),
        }
    });
}

fn main() {
    let _ = orders::main();
}
