//! P067: an enum that is found by trying.

use spate::prelude::*;

#[derive(Deserialize, Record)]
#[serde(untagged)]
enum Id {
    Number(u64),
    Text(String),
}

fn main() {
    let _ = [Id::Number(1), Id::Text(String::new())];
}
