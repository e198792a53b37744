//! P048: a signed number for an unsigned column.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/lines.sql")]
struct Line<'a> {
    id: i64,
    customer: LowCardinality<&'a str>,
    total: Decimal<18, 4>,
    at: DateTime64<6>,
    kind: i8,
}

fn main() {}
