//! Generated code stands in no prelude, beside types that are called as the prelude's.
#![no_implicit_prelude]
#![deny(warnings)]
#![allow(missing_docs, missing_debug_implementations, unreachable_pub)]

extern crate spate;
extern crate std;
extern crate ui_tests;

pub enum Result {
    Some,
    None,
}

pub enum Option {
    Ok,
    Err,
}

pub struct Some;
pub struct Ok;
pub struct Err;
pub struct None;
pub struct Default;
pub struct Iterator;
pub struct Send;
pub struct String;
pub struct Vec;
pub struct Box;
pub struct Lane;
pub struct Tally;

#[spate::pipeline]
mod hygiene {
    use super::*;
    use ::ui_tests::{Feed, Line, Order, Plain, Refused, Table};

    // Names the expansion would like to use.
    pub struct Ports;
    pub struct Sinks;
    pub struct LinesRow;
    pub struct Encoders;
    pub struct Declared;
    pub struct Captured;
    pub struct Harness;
    pub struct Hygiene;
    pub struct S;
    pub struct E;
    pub const KEPT: u64 = 3;
    pub const DECODE: u64 = 4;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink(key = id)]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<::spate::DeadLetter<'_>>;

    #[state]
    struct Seen {
        cx: u64,
    }

    impl ::std::default::Default for Seen {
        fn default() -> Self {
            let _ = (Vec, Box, Ports, Sinks, LinesRow, Encoders, Declared, Captured, Harness, Hygiene, S, E);
            Self { cx: 0 }
        }
    }

    fn kept(seen: &mut Seen, order: &Order<'_>) -> bool {
        seen.cx += 1;
        order.id > KEPT && order.id > DECODE
    }

    fn price(order: Order<'_>) -> ::std::result::Result<Line<'_>, Refused> {
        if order.qty > 9 {
            ::std::result::Result::Err(Refused)
        } else {
            ::std::result::Result::Ok(::ui_tests::line(order))
        }
    }

    fn one(line: Line<'_>) -> ::std::option::Option<Line<'_>> {
        ::std::option::Option::Some(line)
    }

    chain!(hygiene, {
        let cx = events.decode().or_to(rejects).filter(kept);
        let (sinks, r#type) = cx.tee();
        sinks.discard("seen");
        let batch = r#type.filter(|at| at.id != KEPT);
        let item = batch.try_map(price).or_skip();
        let payload = item.filter_map(one).flat_map(|value| [value]);
        payload.to(lines);
    });
}

fn main() {
    let _ = (Some, Ok, Err, None, Default, Iterator, Send, String, Lane, Tally);
    let _ = (Result::Some, Result::None, Option::Ok, Option::Err);
    // Not run here: what counts is that it builds.
    if ::std::iter::Iterator::count(::std::env::args()) > 9 {
        let _ = hygiene::main();
    }
    let mut t = hygiene::test();
    t.events().push("katherine");
    t.settle();
    ::std::assert_eq!(t.lines().row().customer, "katherine");
}
