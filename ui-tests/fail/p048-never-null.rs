//! P048: a field that may be absent, and a column that cannot be.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/lines.sql")]
struct Line<'a> {
    id: u64,
    customer: Option<&'a str>,
    total: Decimal<18, 4>,
    at: DateTime64<6>,
    kind: i8,
}

fn main() {}
