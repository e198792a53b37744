//! The twins of the mistakes in the hot loop: P030 to P039.
#![deny(warnings)]

use spate::prelude::*;
use ui_tests::*;

/// An async function that no stage calls is the user's own.
#[pipeline]
mod p030 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    async fn _elsewhere() {}

    chain!(bill, {
        events.decode().or_skip().map(line).to(lines);
    });
}

/// A record may have a field called as the keyword is in other languages.
#[pipeline]
mod p031 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events.decode().or_skip().map(line).to(lines);
    });
}

/// A state is touched, the record is not.
#[pipeline]
mod p036 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[state]
    struct Seen {
        last: u64,
    }

    fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
        std::mem::replace(&mut seen.last, order.id) != order.id
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

/// The last branch of a tee gives its record, the others lend it.
#[pipeline]
mod p037 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn copy<'a>(order: &Order<'a>) -> Line<'a> {
        line(order.clone())
    }

    chain!(bill, {
        let (a, b, c) = events.decode().or_skip().tee();
        a.map(copy).to(lines);
        b.filter(|e| e.qty > 0).discard("counted");
        c.map(line).to(lines);
    });
}

/// An alias of `bool` is one.
#[pipeline]
mod p038 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    type Answer = bool;

    fn in_stock(order: &Order<'_>) -> Answer {
        order.qty > 0
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(in_stock)
            .map(line)
            .to(lines);
    });
}

/// The items say that they do not keep the state.
#[pipeline]
mod p039 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[state]
    struct Seen {
        last: u64,
    }

    fn copies<'a>(seen: &mut Seen, order: Order<'a>) -> impl Iterator<Item = Order<'a>> + use<'a> {
        seen.last += 1;
        std::iter::once(order)
    }

    fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
        seen.last != order.id
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .flat_map(copies)
            .filter(first_time)
            .map(line)
            .to(lines);
    });
}

fn main() {
    let graphs = [p030::GRAPH, p031::GRAPH, p036::GRAPH, p037::GRAPH, p038::GRAPH, p039::GRAPH];
    assert!(graphs.iter().all(|graph| !graph.chains.is_empty()));
    if std::env::args().len() > 9 {
        let _ = p030::main();
        let _ = p031::main();
        let _ = p036::main();
        let _ = p037::main();
        let _ = p038::main();
        let _ = p039::main();
    }
}
