//! P048: everything that is wrong with a row, in one build.

use spate::prelude::*;

#[derive(Row)]
#[row(ddl = "../../../../ui-tests/fixtures/schema/lines.sql")]
struct Line<'a> {
    id: i32,
    custommer: &'a str,
    at: DateTime64<3>,
    total: Decimal<18, 4>,
}

fn main() {}
