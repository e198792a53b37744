//! P048: a field of another type than its column.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/lines.sql")]
struct Line<'a> {
    id: &'a str,
    customer: LowCardinality<&'a str>,
    note: Option<&'a str>,
    total: Decimal<18, 4>,
    at: DateTime64<6>,
    kind: i8,
}

fn main() {}
