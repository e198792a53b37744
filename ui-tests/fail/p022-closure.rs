//! P022: the same in a closure.

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
            .map(|e| if e.qty > 0 { Ok(line(e)) } else { Err(Refused) })
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
