//! P048: a nullable column, whose values have a byte more.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/lines.sql")]
struct Line<'a> {
    id: u64,
    customer: LowCardinality<&'a str>,
    note: &'a str,
    total: Decimal<18, 4>,
    at: DateTime64<6>,
    kind: i8,
}

fn main() {}
