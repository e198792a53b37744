//! P048: a file that is not there.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/linse.sql")]
struct Line {
    id: u64,
}

fn main() {}
