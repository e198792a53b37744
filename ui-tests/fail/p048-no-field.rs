//! P048: a column that nothing fills.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/lines.sql")]
struct Line<'a> {
    id: u64,
    customer: LowCardinality<&'a str>,
    at: DateTime64<6>,
    kind: i8,
}

fn main() {}
