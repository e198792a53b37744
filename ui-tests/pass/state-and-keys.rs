//! The twins of the mistakes about state and keys: P040 to P047.
#![deny(warnings)]

use spate::prelude::*;
use ui_tests::*;

/// What is static may be borrowed.
#[pipeline]
mod p040 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[state(init = Seen::made, on_replay = "forget")]
    struct Seen {
        last: &'static str,
    }

    impl Seen {
        fn made() -> Self {
            Self { last: "none" }
        }
    }

    fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
        seen.last != order.customer
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(first_time)
            .map(line)
            .to(lines);
    });
}

/// An `Rc` of one's own that is `Send`; fields that make themselves.
#[pipeline]
mod p041 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[derive(Default)]
    struct Rc(u64);

    #[state]
    struct Seen {
        ring: Rc,
        ids: RecentKeys<u64, 1_024>,
        before: Option<Box<Self>>,
        #[cfg(any())]
        never: Missing,
    }

    fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
        seen.ring.0 += 1;
        if let Some(before) = &mut seen.before {
            before.ring.0 += 1;
        }
        seen.ids.insert(order.id)
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(first_time)
            .map(line)
            .to(lines);
    });
}

/// Several shards, and a key.
#[pipeline(config = "../../../../ui-tests/fixtures/two-shards.yaml")]
mod p045 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink(key = id)]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events.decode().or_skip().map(line).to(lines);
    });
}

/// A key may be a function of the row, or a field of a field.
#[pipeline]
mod p046 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink(key = who)]
    fn lines() -> Table<Line<'_>>;

    fn who<'a>(line: &'a Line<'_>) -> &'a str {
        line.customer
    }

    chain!(bill, {
        events.decode().or_skip().map(line).to(lines);
    });
}

/// The same row type in two sinks.
#[pipeline]
mod p047 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn copies() -> Table<Line<'_>>;

    fn again<'a>(line: &Line<'a>) -> Line<'a> {
        Line { id: line.id, customer: line.customer }
    }

    chain!(bill, {
        let (a, b) = events.decode().or_skip().map(line).tee();
        a.map(again).to(copies);
        b.to(lines);
    });
}

fn main() {
    let graphs = [p040::GRAPH, p041::GRAPH, p045::GRAPH, p046::GRAPH, p047::GRAPH];
    assert!(graphs.iter().all(|graph| !graph.chains.is_empty()));
    if std::env::args().len() > 9 {
        let _ = p040::main();
        let _ = p041::main();
        let _ = p045::main();
        let _ = p046::main();
        let _ = p047::main();
    }
}
