//! Every stage and every policy, by function, by path and by closure.
#![deny(warnings, missing_docs, clippy::pedantic)]

use spate::prelude::*;
use ui_tests::{Feed, Line, Order, Plain, Refused, Table};

mod elsewhere {
    use ui_tests::{Line, Order};

    pub(crate) fn paid(order: &Order<'_>) -> bool {
        order.id > 0
    }

    pub(crate) fn to_line(order: Order<'_>) -> Line<'_> {
        ui_tests::line(order)
    }
}

/// All of it.
#[pipeline(__editor)]
pub mod stages {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink(key = id)]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<DeadLetter<'_>>;

    #[state]
    #[derive(Default)]
    struct Count {
        seen: u64,
    }

    fn looks(count: &mut Count, order: &Order<'_>, meta: Meta<'_>) {
        count.seen += order.id + meta.offset().0;
    }

    #[op(label = "stocked", allow(panic))]
    fn in_stock(order: &Order<'_>) -> bool {
        order.qty > 0
    }

    fn checked(order: &Order<'_>) -> Result<bool, Refused> {
        if order.id == 13 { Err(Refused) } else { Ok(order.qty > 0) }
    }

    fn halved(order: Order<'_>) -> Option<Order<'_>> {
        (order.qty > 1).then(|| Order { qty: order.qty / 2, ..order })
    }

    fn copies(order: Order<'_>) -> impl Iterator<Item = Order<'_>> {
        (0..order.qty).map(move |_| order.clone())
    }

    fn pair<'a>(count: &mut Count, order: Order<'a>) -> [Order<'a>; 2] {
        count.seen += 1;
        [order.clone(), order]
    }

    fn maybe(order: Order<'_>) -> Result<Option<Order<'_>>, Refused> {
        if order.id == 14 { Err(Refused) } else { Ok(Some(order)) }
    }

    fn pieces(order: Order<'_>) -> Result<[Order<'_>; 1], Refused> {
        if order.id == 15 { Err(Refused) } else { Ok([order]) }
    }

    chain!(all, {
        events
            .decode()
            .or_to(rejects)
            .inspect(looks)
            .inspect(|e, meta| _ = (e.id, meta.partition()))
            .filter(in_stock)
            .filter(elsewhere::paid)
            .filter(|e| e.id > 7)
            .filter(|e, meta| e.id > meta.offset().0)
            .named("newer")
            .try_filter(checked)
            .or_skip()
            .try_filter(|e| e.id.checked_sub(1).map(|id| id > 3).ok_or(Refused))
            .or_stop()
            .map(|e| Order { qty: e.qty + 1, ..e })
            .filter_map(halved)
            .filter_map(|e| Some(e))
            .flat_map(copies)
            .flat_map(pair)
            .flat_map(|e| [e])
            .try_filter_map(maybe)
            .or_to(rejects)
            .try_flat_map(pieces)
            .or_to(rejects)
            .try_map(|e| if e.id == 16 { Err(Refused) } else { Ok(e) })
            .or_stop()
            .map(elsewhere::to_line)
            .to(lines);
    });
}

fn main() {
    let _ = stages::GRAPH;
    // Not run here: what counts is that it builds.
    if std::env::args().len() > 9 {
        let _ = stages::main();
    }
}
