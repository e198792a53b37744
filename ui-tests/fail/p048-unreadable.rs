//! P048: a file that ClickHouse could not read either.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/no-comma.sql")]
struct Line<'a> {
    id: u64,
    customer: &'a str,
}

fn main() {}
