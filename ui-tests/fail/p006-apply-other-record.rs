//! P006: an operator on other records.

use spate::prelude::*;
use ui_tests::*;

#[derive(Default)]
struct Latest(u64);

impl Operator<u64> for Latest {
    type Out = u64;

    fn apply(&mut self, id: u64) -> impl IntoIterator<Item = u64> {
        [std::mem::replace(&mut self.0, id)]
    }
}

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events.decode().or_skip().apply(Latest).map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
