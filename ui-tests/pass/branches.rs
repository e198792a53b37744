//! Tees and splits, nested both ways, with guards, blocks and names.
#![deny(warnings)]

use spate::prelude::*;
use ui_tests::{Event, Feed, Kind, Line, Order, Plain, Refused, Table, line};

#[pipeline(__editor)]
mod branches {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Event<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn copies() -> Table<Line<'_>>;

    fn copy<'a>(order: &Order<'a>) -> Line<'a> {
        Line { id: order.id, customer: order.customer }
    }

    fn check(order: Order<'_>) -> Result<Order<'_>, Refused> {
        Ok(order)
    }

    chain!({
        match events.decode().or_skip().split() {
            Event::Order(order) => {
                let (a, b, c) = order.tee();
                a.map(copy).to(copies);
                match b.split_on(|order| order.kind) {
                    Kind::Placed if 1 > 0 => b.map(|e| copy(e)).to(copies),
                    Kind::Placed | Kind::Refunded => {
                        let kept = b.filter(|order| order.qty > 0);
                        let (x, y) = kept.tee();
                        x.map(|e| copy(e)).to(copies);
                        y.map(|e| copy(e)).named("kept").to(lines);
                    }
                    Kind::Ping => b.discard("heartbeat"),
                }
                let checked = c.try_map(check).or_skip();
                checked.map(line).to(lines)
            }
            Event::Named { order: line, name: "test" } => line.map(line).named("test").to(lines),
            Event::Named { order, .. } => match order.split_on(|order| order.qty) {
                0 => order.discard("empty"),
                1 => order.map(line).named("single").to(lines),
                _ => order
                    .filter(|order| order.qty < 10)
                    .map(|order| line(order))
                    .to(lines),
            },
            Event::Ping => events.discard("ping"),
        }
    });
}

fn main() {
    // Not run here: what counts is that it builds.
    if std::env::args().len() > 9 {
        let _ = branches::main();
    }
}
