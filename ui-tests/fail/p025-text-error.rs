//! P025: a text where an error is meant.

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
            .try_map(|e| Err::<Line<'_>, _>(format!("{e:?}")))
            .or_skip()
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
