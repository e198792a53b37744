//! P048: fields in another order than the columns.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/lines.sql")]
struct Line<'a> {
    id: u64,
    total: Decimal<18, 4>,
    customer: LowCardinality<&'a str>,
    at: DateTime64<6>,
    kind: i8,
}

fn main() {}
