//! P067: a record of any type.

use spate::prelude::*;

#[derive(Deserialize, Record)]
struct Envelope<T> {
    id: u64,
    body: T,
}

fn main() {
    let _ = |envelope: Envelope<u8>| (envelope.id, envelope.body);
}
