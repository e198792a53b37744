//! P048: other scales: every value would be off by a power of ten.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/lines.sql")]
struct Line<'a> {
    id: u64,
    customer: LowCardinality<&'a str>,
    total: Decimal<18, 2>,
    at: DateTime64<3>,
    kind: i8,
}

fn main() {}
