//! P048: a field that the table has no column for.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/lines.sql")]
struct Line<'a> {
    id: u64,
    customer: LowCardinality<&'a str>,
    total: Decimal<18, 4>,
    at: DateTime64<6>,
    kind: i8,
    sku: &'a str,
}

fn main() {}
