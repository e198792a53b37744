//! P066: an option of a field with a typo.

use spate::prelude::*;

#[derive(Row)]
struct Line {
    #[row(renam = "id")]
    order_id: u64,
}

fn main() {
    let _ = Line { order_id: 1 }.order_id;
}
