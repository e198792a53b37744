//! P048: text for an enum, which is written as a number.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/lines.sql")]
struct Line<'a> {
    id: u64,
    customer: LowCardinality<&'a str>,
    total: Decimal<18, 4>,
    at: DateTime64<6>,
    kind: &'a str,
}

fn main() {}
