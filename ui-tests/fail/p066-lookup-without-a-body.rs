//! P066: a lookup that does not say how it is loaded.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[lookup(refresh = "5s")]
    fn names() -> Lookup<u64, String>;

    fn known(names: &Lookup<u64, String>, order: &Order<'_>) -> bool {
        names.contains(&order.id)
    }

    chain!(bill, {
        events.decode().or_skip().filter(known).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
