//! P067: a record without the full parser that it falls back to.

use spate::prelude::*;

#[derive(Record)]
struct Order {
    id: u64,
}

fn main() {
    let _ = Order { id: 1 }.id;
}
