//! A sink with several shards and no key is refused at start, whatever the file said at build.

use spate_runtime::graph::{Graph, SinkNode};
use spate_runtime::pipeline::{Assembler, Definition};

use crate::chain::GRAPH;
use crate::world::{Numbers, World};

static KEYLESS: Graph =
    Graph { sinks: &[SinkNode { name: "out", declared: "Server", key: "" }], ..GRAPH };

struct Keyless;

impl Definition for Keyless {
    const GRAPH: &'static Graph = &KEYLESS;
    const CONFIG: Option<(&'static str, &'static str)> = None;

    fn assemble(assembler: &mut Assembler<'_>) {
        Numbers::assemble(assembler);
    }
}

#[test]
fn several_shards_need_a_key_or_a_route_that_needs_none() {
    let mut world = World::sharded(1, 0, 3);
    let errors = world.assemble::<Keyless>().unwrap_err().to_string();
    assert!(errors.contains("sink `out` has 3 shards but no `key` [P045]"), "{errors}");
    assert!(world.assemble::<Numbers>().is_ok(), "with a key it is fine");

    world.settings = world
        .settings
        .replace("out: {", "out: { route: round_robin,");
    assert!(world.assemble::<Keyless>().is_ok(), "a route that needs no key is fine");

    let single = World::new(1, 0);
    assert!(single.assemble::<Keyless>().is_ok(), "one shard needs no key");
}
