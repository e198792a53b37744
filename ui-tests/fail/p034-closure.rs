//! P034: a closure that collects for the loop.

use spate::prelude::*;
use ui_tests::*;

#[pipeline(alloc = deny)]
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
            .flat_map(|e| (0..e.qty).map(move |_| e.clone()).collect::<Vec<_>>())
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
