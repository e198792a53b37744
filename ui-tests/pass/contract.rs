//! A chain with a contract that it keeps.
#![deny(warnings)]

use spate::prelude::*;
use ui_tests::{Feed, Line, Order, Plain, Table, line};

#[pipeline(__editor)]
mod contract {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn copies() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<DeadLetter<'_>>;

    chain!(bill::<Order<'_>, (Line<'_>, Line<'_>)>, {
        let (a, b) = events.decode().or_to(rejects).map(line).tee();
        a.to(lines);
        b.to(copies);
    });
}

fn main() {
    // Not run here: what counts is that it builds.
    if std::env::args().len() > 9 {
        let _ = contract::main();
    }
}
