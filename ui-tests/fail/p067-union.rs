//! P067: a union.

use spate::prelude::*;

#[derive(Record)]
union Bits {
    number: u32,
    float: f32,
}

fn main() {
    let _ = Bits { number: 1 };
}
