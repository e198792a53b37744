//! P022: a map whose operator returns a `Result`.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn price(order: Order<'_>) -> Result<Line<'_>, Refused> {
        Ok(line(order))
    }

    chain!(bill, {
        events.decode().or_skip().map(price).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
