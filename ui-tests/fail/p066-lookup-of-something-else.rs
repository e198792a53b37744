//! P066: a lookup that returns something else.

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
    async fn names() -> Vec<(u64, String)> {
        vec![(1, "one".to_owned())]
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
