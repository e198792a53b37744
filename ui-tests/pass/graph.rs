//! The twins of the mistakes in the graph: P001 to P016.
#![deny(warnings)]

use spate::prelude::*;
use ui_tests::*;

/// Every path ends.
#[pipeline]
mod p001 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        let placed = events.decode().or_skip().filter(|e| e.qty > 0);
        placed.map(line).to(lines)
    });
}

/// Sinks are declared, in whatever order.
#[pipeline]
mod p002 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn later() -> Table<Line<'_>>;

    chain!(bill, {
        events.decode().or_skip().map(line).to(later);
    });
}

/// A stream may have the name of its source.
#[pipeline]
mod p003 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        let events = events.decode().or_skip();
        events.map(line).to(lines);
    });
}

/// An end ends one branch, the other goes on.
#[pipeline]
mod p004 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        let (a, b) = events.decode().or_skip().tee();
        a.discard("seen");
        b.map(line).to(lines);
    });
}

/// Decoded once, by a name that is no stage elsewhere.
#[pipeline]
mod p005 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .inspect(|_| ())
            .map(line)
            .to(lines);
    });
}

/// Operators from the module, by path, from a glob, from the prelude, as constructors.
#[pipeline]
mod p006 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn in_stock(order: &Order<'_>) -> bool {
        order.qty > 0
    }

    struct Wrapped<'a>(Line<'a>);

    fn unwrapped(wrapped: Wrapped<'_>) -> Line<'_> {
        wrapped.0
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(in_stock)
            .filter(Order::is_some)
            .map(ui_tests::line)
            .map(Wrapped)
            .map(unwrapped)
            .to(lines);
    });
}

/// A contract that is kept.
#[pipeline]
mod p007 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill::<Order<'_>, Line<'_>>, {
        events.decode().or_skip().map(line).to(lines);
    });
}

/// Two sources, two chains.
#[pipeline]
mod p008 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[source]
    fn returns() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(again, {
        returns.decode().or_skip().map(line).to(lines);
    });

    chain!(bill, {
        events.decode().or_skip().map(line).to(lines);
    });
}

/// Every branch is consumed.
#[pipeline]
mod p009 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        let (a, b) = events.decode().or_skip().tee();
        b.map(line).to(lines);
        a.discard("counted");
    });
}

/// A name may be bound anew, and stand in every arm.
#[pipeline]
mod p010 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        let placed = events.decode().or_skip();
        let placed = placed.filter(|e| e.qty > 0);
        match placed.split_on(|e| e.qty > 9) {
            true => placed.map(line).to(lines),
            false => placed.discard("few"),
        }
    });
}

/// A sink of dead letters only is used.
#[pipeline]
mod p011 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<DeadLetter<'_>>;

    chain!(bill, {
        events.decode().or_to(rejects).map(line).to(lines);
    });
}

/// Every variant has its arm.
#[pipeline]
mod p012 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Event<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        match events.decode().or_skip().split() {
            Event::Order(order) | Event::Named { order, .. } => order.map(line).to(lines),
            Event::Ping => events.discard("heartbeat"),
        }
    });
}

/// An arm may be a block, or another split.
#[pipeline]
mod p013 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        let placed = events.decode().or_skip();
        match placed.split_on(|e| e.kind) {
            Kind::Placed => {
                let kept = placed.filter(|e| e.qty > 0);
                kept.map(line).to(lines);
            }
            Kind::Refunded => match placed.split_on(|e| e.qty) {
                0 => placed.discard("nothing"),
                _ => placed.discard("refund"),
            },
            Kind::Ping => placed.discard("heartbeat"),
        }
    });
}

/// Numbers need a wildcard, and an `allow` keeps one.
#[pipeline]
mod p014 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        let placed = events.decode().or_skip();
        match placed.split_on(|e| e.kind) {
            Kind::Placed => placed.map(line).to(lines),
            #[allow(clippy::wildcard_enum_match_arm)]
            _ => match placed.split_on(|e| e.qty) {
                1 | 2 => placed.discard("few"),
                _ => placed.discard("many"),
            },
        }
    });
}

/// The same function twice, with a name of its own; closures are numbered.
#[pipeline]
mod p015 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn copy<'a>(order: &Order<'a>) -> Line<'a> {
        line(order.clone())
    }

    chain!(bill, {
        let (a, b) = events.decode().or_skip().tee();
        a.filter(|e| e.id > 1)
            .filter(|e| e.id > 2)
            .map(copy)
            .to(lines);
        b.map(|e| copy(&e)).filter(|e| e.id > 0).to(lines);
    });
}

/// Names near the generated ones.
#[pipeline]
mod p016 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    struct _Configuration;

    fn _tests() {}

    chain!(bill, {
        events.decode().or_skip().map(line).to(lines);
    });
}

fn main() {
    let graphs = [
        p001::GRAPH,
        p002::GRAPH,
        p003::GRAPH,
        p004::GRAPH,
        p005::GRAPH,
        p006::GRAPH,
        p007::GRAPH,
        p008::GRAPH,
        p009::GRAPH,
        p010::GRAPH,
        p011::GRAPH,
        p012::GRAPH,
        p013::GRAPH,
        p014::GRAPH,
        p015::GRAPH,
        p016::GRAPH,
    ];
    assert!(graphs.iter().all(|graph| !graph.chains.is_empty()));
    if std::env::args().len() > 9 {
        let _ = p001::main();
        let _ = p002::main();
        let _ = p003::main();
        let _ = p004::main();
        let _ = p005::main();
        let _ = p006::main();
        let _ = p007::main();
        let _ = p008::main();
        let _ = p009::main();
        let _ = p010::main();
        let _ = p011::main();
        let _ = p012::main();
        let _ = p013::main();
        let _ = p014::main();
        let _ = p015::main();
        let _ = p016::main();
    }
}
