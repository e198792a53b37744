//! P066: a row that is no struct.

use spate::prelude::*;

#[derive(Row)]
enum Line {
    One,
}

fn main() {
    let _ = Line::One;
}
