//! P066: an option of a record that there is not.

use spate::prelude::*;

#[derive(Deserialize, Record)]
struct Order {
    id: u64,
    #[record(sered)]
    took: std::time::Duration,
}

fn main() {
    let _ = |order: Order| (order.id, order.took);
}
