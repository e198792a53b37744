//! What the module gives to code: every shape of pipeline runs under `test()`.
#![deny(warnings, missing_docs, missing_debug_implementations, unreachable_pub)]
#![forbid(unsafe_code)]

use spate::prelude::*;
use ui_tests::{Event, Feed, Line, Order, Plain, Table, line};

/// Two sources, each with a chain of its own, into one sink.
#[pipeline]
pub mod two_sources {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[source]
    fn returns() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events.decode().or_skip().map(line).to(lines);
    });

    chain!(again, {
        returns.decode().or_skip().map(line).to(lines);
    });
}

/// A tee to three sinks, a split inside a branch, a split inside an arm.
#[pipeline]
pub mod forks {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink(key = id)]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn copies() -> Table<Line<'_>>;

    #[sink]
    fn archive() -> Table<Line<'_>>;

    fn copy<'a>(order: &Order<'a>) -> Line<'a> {
        line(order.clone())
    }

    chain!(bill, {
        let (one, two, three) = events.decode().or_skip().tee();
        one.map(copy).to(lines);
        two.map(copy).named("copied").to(copies);
        match three.split_on(|order| order.customer.len() > 3) {
            true => match three.split_on(|order| order.customer.len() > 5) {
                true => three.map(line).to(archive),
                false => three.discard("middling"),
            },
            false => three.discard("short"),
        }
    });
}

/// A split by the record itself.
#[pipeline]
pub mod cases {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Event<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<DeadLetter<'_>>;

    chain!({
        match events.decode().or_to(rejects).split() {
            Event::Order(order) | Event::Named { order, .. } => order.map(line).to(lines),
            Event::Ping => events.discard("heartbeat"),
        }
    });
}

/// A chain of thirty stages, decode and sink not counted.
#[pipeline]
pub mod long {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn more(order: Order<'_>) -> Order<'_> {
        Order { id: order.id + 1, ..order }
    }

    chain!({
        let ten = events
            .decode()
            .or_skip()
            .map(|order| more(order))
            .map(|order| more(order))
            .map(|order| more(order))
            .map(|order| more(order))
            .map(|order| more(order))
            .map(|order| more(order))
            .map(|order| more(order))
            .map(|order| more(order))
            .map(|order| more(order))
            .map(|order| more(order));
        let twenty = ten
            .filter(|order| order.id > 1)
            .filter(|order| order.id > 2)
            .filter(|order| order.id > 3)
            .filter(|order| order.id > 4)
            .filter(|order| order.id > 5)
            .filter(|order| order.id > 6)
            .filter(|order| order.id > 7)
            .filter(|order| order.id > 8)
            .filter(|order| order.id > 9)
            .filter(|order| order.id > 10);
        twenty
            .map(|order| more(order))
            .filter_map(|order| Some(order))
            .map(|order| more(order))
            .filter_map(|order| Some(order))
            .map(|order| more(order))
            .filter_map(|order| Some(order))
            .map(|order| more(order))
            .flat_map(|order| [order])
            .inspect(|_| ())
            .map(line)
            .to(lines);
    });
}

fn main() {
    /// A pipeline of a function.
    #[pipeline]
    mod local {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!({
            events.decode().or_skip().map(line).to(lines);
        });
    }

    let mut t = two_sources::test();
    t.events().push("ada");
    t.returns().push("grace");
    t.settle();
    let mut who: Vec<&str> = t.lines().rows().iter().map(|line| line.customer).collect();
    who.sort_unstable();
    assert_eq!(who, ["ada", "grace"]);
    assert_eq!(t.counter("bill.decode").out, 1);
    assert_eq!((t.events().committed(), t.returns().committed()), (1, 1));

    let mut t = forks::test();
    t.lines().shards(3);
    for customer in ["ada", "grace", "katherine"] {
        t.events().push(customer);
    }
    t.settle();
    assert_eq!((t.lines().len(), t.copies().len()), (3, 3));
    assert_eq!(t.archive().row().customer, "katherine");
    assert_eq!(t.archive().values()[0]["id"], 9);

    let mut t = cases::test();
    t.events().push("ada");
    t.events().push([0xff]);
    t.settle();
    assert_eq!(t.lines().row().customer, "ada");
    assert_eq!(t.rejects().row().payload, Some(&[0xff][..]));

    let mut t = long::test();
    t.events().push("ada");
    assert_eq!(t.drain().exit_code(), 0);
    assert_eq!(t.lines().row().id, 3 + 14);

    let mut t = local::test();
    t.events().push("ada");
    t.settle();
    assert_eq!(t.lines().len(), 1);

    // Rows are written by whoever is asked: the graph says it as text, Mermaid and DOT.
    let text = forks::GRAPH.text().to_string();
    assert!(text.contains("  ├─ one  ") && text.contains("module-as-api.rs:"), "{text}");
    assert!(forks::GRAPH.mermaid().to_string().starts_with("flowchart LR\n"));
    assert!(forks::GRAPH.dot().to_string().starts_with("digraph \"forks\" {\n"));
    if std::env::args().len() > 9 {
        let _ = (two_sources::main(), forks::main(), cases::main(), long::main(), local::main());
        let pipelines = [
            two_sources::pipeline(two_sources::Config::empty()),
            forks::pipeline(forks::Config::empty()),
        ];
        assert!(pipelines.iter().all(|pipeline| pipeline.check().is_err()));
    }
}
