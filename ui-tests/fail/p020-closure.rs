//! P020: a fallible closure without a policy.

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
            .try_filter(|e| e.qty.checked_sub(1).map(|_| true).ok_or(Refused))
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
