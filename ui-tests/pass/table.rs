//! P048: rows that fit their tables.

use spate::prelude::*;
use ui_tests::{Feed, Order, Plain};

/// All columns that nothing else fills, in order.
#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/lines.sql")]
struct Line<'a> {
    id: u64,
    customer: LowCardinality<&'a str>,
    note: Option<&'a str>,
    total: Decimal<18, 4>,
    at: DateTime64<6>,
    kind: i8,
}

/// The hatch: an insert names its columns.
#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/lines.sql", any_order)]
struct Mixed<'a> {
    at: DateTime64<6>,
    seen: DateTime,
    kind: i8,
    #[row(rename = "customer")]
    name: Cow<'a, str>,
    total: Decimal<18, 4>,
    id: u64,
    #[row(skip)]
    #[expect(dead_code, reason = "skipped")]
    weight: f64,
}

/// One table of several.
#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/two.sql", table = "shop.refunds")]
struct Refund {
    id: u64,
    cents: i64,
}

/// The table, not the Distributed one over it.
#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/sharded.sql")]
struct Local {
    id: u64,
    customer: u64,
}

/// Types that are known only in use.
#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/two.sql", table = "refunds")]
struct Generic<I, const N: usize> {
    id: I,
    cents: i64,
    #[row(skip)]
    _more: [u8; N],
}

fn local(order: Order<'_>) -> Local {
    Local { id: order.id, customer: 1 }
}

/// A key that the table is sharded by.
#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink(key = customer)]
    fn lines() -> ClickHouse<Local>;

    chain!(bill, {
        events.decode().or_skip().map(local).to(lines);
    });
}

fn main() {
    let _pipeline = orders::main;
    assert_eq!(Generic::<u64, 3>::COLUMNS.len(), Refund::COLUMNS.len());
    assert_eq!(Line::COLUMNS.len(), 6);
    assert_eq!(Mixed::COLUMNS.len(), 6);
    assert_eq!(Local::COLUMNS.len(), 2);
}
