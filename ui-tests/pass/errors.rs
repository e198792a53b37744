//! The twins of the mistakes about errors: P020 to P026.
#![deny(warnings)]

use spate::prelude::*;
use ui_tests::*;

/// Every fallible stage has its policy, also behind a name.
#[pipeline]
mod p020 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<DeadLetter<'_>>;

    fn price(order: Order<'_>) -> Result<Line<'_>, Refused> {
        Ok(line(order))
    }

    chain!(bill, {
        events
            .decode()
            .or_stop()
            .try_map(price)
            .named("priced")
            .or_to(rejects)
            .to(lines);
    });
}

/// An alias of `Result` is one.
#[pipeline]
mod p021 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    type Priced<'a> = Result<Line<'a>, Refused>;

    fn price(order: Order<'_>) -> Priced<'_> {
        Ok(line(order))
    }

    chain!(bill, {
        events.decode().or_skip().try_map(price).or_skip().to(lines);
    });
}

/// A `Result` of one's own is a record.
#[pipeline]
mod p022 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    enum Result<'a> {
        Good(Order<'a>),
    }

    fn judge(order: Order<'_>) -> Result<'_> {
        Result::Good(order)
    }

    fn line_of(result: Result<'_>) -> Line<'_> {
        let Result::Good(order) = result;
        line(order)
    }

    chain!(bill, {
        events.decode().or_skip().map(judge).map(line_of).to(lines);
    });
}

/// `filter_map` takes the `Option` apart.
#[pipeline]
mod p023 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    fn find(order: Order<'_>) -> Option<Line<'_>> {
        (order.qty > 0).then(|| line(order))
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter_map(find)
            .filter_map(|e| Some(e))
            .to(lines);
    });
}

/// A `?` inside of a closure returns from the closure.
#[pipeline]
mod p024 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .try_map(|e| {
                let id = e.id.checked_sub(1).ok_or(Refused)?;
                Ok::<_, Refused>(Line { id, customer: e.customer })
            })
            .or_skip()
            .to(lines);
    });
}

/// Any error of the standard library will do.
#[pipeline]
mod p025 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<DeadLetter<'_>>;

    fn parse(order: Order<'_>) -> Result<Line<'_>, std::num::ParseIntError> {
        Ok(Line { id: order.customer.parse()?, customer: order.customer })
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .try_map(parse)
            .or_to(rejects)
            .to(lines);
    });
}

/// An alias of `DeadLetter` is one.
#[pipeline]
mod p026 {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<Rejected<'_>>;

    type Rejected<'a> = DeadLetter<'a>;

    chain!(bill, {
        events.decode().or_to(rejects).map(line).to(lines);
    });
}

fn main() {
    let graphs =
        [p020::GRAPH, p021::GRAPH, p022::GRAPH, p023::GRAPH, p024::GRAPH, p025::GRAPH, p026::GRAPH];
    assert!(graphs.iter().all(|graph| !graph.chains.is_empty()));
    if std::env::args().len() > 9 {
        let _ = p020::main();
        let _ = p021::main();
        let _ = p022::main();
        let _ = p023::main();
        let _ = p024::main();
        let _ = p025::main();
        let _ = p026::main();
    }
}
