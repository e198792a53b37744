//! P067: a type that is decoded as another one.

use spate::prelude::*;

#[derive(Deserialize, Record)]
#[serde(from = "u64")]
struct Id {
    number: u64,
}

impl From<u64> for Id {
    fn from(number: u64) -> Self {
        Self { number }
    }
}

fn main() {
    let _ = Id::from(1).number;
}
