//! P067: a field whose type serde reads, and no derived decoder.

use spate::prelude::*;

#[derive(Deserialize, Record)]
struct Order {
    id: u64,
    took: std::time::Duration,
}

fn main() {
    let _ = |order: Order| (order.id, order.took);
}
