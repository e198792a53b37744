//! P035: a closure that asks which process it is in.

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
        events
            .decode()
            .or_skip()
            .filter(|e| e.id != u64::from(std::process::id()))
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
