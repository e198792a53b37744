//! P048: an enum whose number does not fit it.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/enum.sql")]
struct Line<'a> {
    id: u64,
    kind: i8,
    more: &'a str,
}

fn main() {}
