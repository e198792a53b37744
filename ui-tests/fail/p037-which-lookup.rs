//! P037: an operator that does not say which lookup it reads.

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
    fn names() -> Lookup<u64, u64> {
        Lookup::default()
    }

    #[lookup(refresh = "1h")]
    fn limits() -> Lookup<u64, u64> {
        Lookup::default()
    }

    fn known(of: &Lookup<u64, u64>, order: &Order<'_>) -> bool {
        of.contains(&order.id)
    }

    fn small(limits: &Lookup<u64, u64>, names: &Lookup<u64, u64>, order: &Order<'_>) -> bool {
        limits.len() < names.len() && order.qty < 8
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(small)
            .filter(known)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
