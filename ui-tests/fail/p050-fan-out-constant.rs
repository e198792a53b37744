//! P050: a constant that lets an operator give nothing.

use spate::prelude::*;
use ui_tests::*;

const MOST: usize = 0;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events.decode().or_skip().flat_map(#[op(fan_out = MOST)] |order| [line(order)]).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
