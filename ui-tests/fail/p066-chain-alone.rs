//! P066: a chain outside of a pipeline.

use spate::prelude::*;

chain!(bill, {
    events.decode().or_skip().discard("nothing");
});

fn main() {}
