//! P048: several tables, and nothing that says which.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/two.sql")]
struct Line {
    id: u64,
}

fn main() {}
