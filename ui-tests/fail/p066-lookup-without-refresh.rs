//! P066: a lookup that does not say when it is loaded again.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[lookup]
    fn names() -> Lookup<u64, String> {
        [(1, "one".to_owned())].into()
    }

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
