//! P002: what the user wrote is there all the same: one error, at the typo.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    pub(crate) fn in_stock(order: &Order<'_>) -> bool {
        order.qty > 0
    }

    pub(crate) struct Helper;

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(in_stock)
            .map(line)
            .to(lnes);
    });
}

fn main() -> std::process::ExitCode {
    let _ = orders::Helper;
    assert!(!orders::GRAPH.pipeline.is_empty());
    let order = Order { id: 1, customer: "", qty: 1, kind: Kind::Placed };
    assert!(orders::in_stock(&order));
    let _run: fn(orders::Config) -> spate::Pipeline = orders::pipeline;
    orders::main()
}
