//! P048: a narrower number than the column.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/lines.sql")]
struct Line<'a> {
    id: u32,
    customer: LowCardinality<&'a str>,
    total: Decimal<18, 4>,
    at: DateTime64<6>,
    kind: i8,
}

fn main() {}
