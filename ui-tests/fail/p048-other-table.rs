//! P048: a table that the file does not create.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/two.sql", table = "lnes")]
struct Line {
    id: u64,
}

fn main() {}
