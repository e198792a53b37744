//! P067: keys that no decoder can know before it sees them.

use spate::prelude::*;

#[derive(Deserialize, Record)]
struct Order {
    id: u64,
    #[serde(flatten)]
    rest: std::collections::BTreeMap<String, String>,
}

fn main() {
    let _ = |order: Order| (order.id, order.rest);
}
