//! P064: rejects that may have no place to go.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[cfg(all())]
    #[sink]
    fn rejects() -> Table<DeadLetter<'_>>;

    chain!(bill, {
        events.decode().or_to(rejects).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
