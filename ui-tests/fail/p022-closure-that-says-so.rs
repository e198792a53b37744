//! P022: a closure that says what it returns.

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
            .map(|e| -> Result<Line<'_>, Refused> { Ok(line(e)) })
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
