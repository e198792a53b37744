//! What is derived from an item under `#[cfg]` is under the same `#[cfg]`.
#![deny(warnings)]

use spate::prelude::*;
use ui_tests::{Feed, Kind, Line, Order, Plain, Table, line};

#[pipeline(__editor)]
mod under_cfg {
    use super::*;

    #[cfg(any())]
    #[source]
    fn never() -> Feed<Plain<Missing<'_>>>;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[cfg(any())]
    #[sink]
    fn gone() -> Table<Missing<'_>>;

    #[cfg(all())]
    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn rest() -> Table<Line<'_>>;

    #[cfg(any())]
    chain!(nothing, {
        never.decode().or_skip().to(gone);
    });

    chain!(some, {
        match events.decode().or_stop().split_on(|e| e.kind) {
            #[cfg(any())]
            Kind::Nothing => events.map(missing).to(gone),
            #[cfg(all())]
            Kind::Placed => events.map(line).to(lines),
            Kind::Refunded | Kind::Ping => events.map(line).named("rest").to(rest),
        }
    });
}

fn main() {
    let graph = under_cfg::GRAPH;
    assert_eq!(graph.sources.len(), 1);
    assert_eq!(graph.sinks.len(), 2);
    assert_eq!(graph.chains.len(), 1);
    let stages = graph.chains[0].stages;
    let labels: Vec<&str> = stages.iter().map(|stage| stage.label).collect();
    assert!(labels.contains(&"placed") && !labels.contains(&"nothing"), "{labels:?}");
    let mut t = under_cfg::test();
    t.events().push("ada");
    t.settle();
    assert_eq!((t.lines().len(), t.rest().len()), (1, 0));
    if std::env::args().len() > 9 {
        let _ = under_cfg::main();
    }
}
