//! P041: an operator of one's own that is not `Send`: rustc says it, at the operator.

use spate::prelude::*;
use ui_tests::*;

#[derive(Default)]
struct Latest(std::rc::Rc<u64>);

impl<'a> Operator<Order<'a>> for Latest {
    type Out = Order<'a>;

    fn apply(&mut self, order: Order<'a>) -> impl IntoIterator<Item = Order<'a>> {
        (order.id > *self.0).then_some(order)
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
