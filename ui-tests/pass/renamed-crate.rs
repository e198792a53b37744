//! The facade under another name.
#![deny(warnings)]

extern crate spate as streams;

use streams::prelude::*;
use ui_tests::{Feed, Order, Plain, Table};

mod inner {
    pub(crate) use streams as facade;
}

#[derive(streams::Row)]
#[row(crate = crate::inner::facade)]
struct Row2<'a, T> {
    id: u64,
    #[row(rename = "who")]
    customer: &'a str,
    extra: T,
    #[row(skip)]
    _note: (),
}

#[pipeline(crate = crate::inner::facade)]
mod renamed {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink(key = id)]
    fn lines() -> Table<Row2<'_, u8>>;

    fn row(order: Order<'_>) -> Row2<'_, u8> {
        Row2 { id: order.id, customer: order.customer, extra: 1, _note: () }
    }

    chain!({
        events.decode().or_skip().map(row).to(lines);
    });
}

fn main() {
    use streams::__private::Row as _;
    assert_eq!(Row2::<u8>::NAME, "Row2");
    let names: Vec<&str> = Row2::<u8>::COLUMNS
        .iter()
        .map(|column| column.name)
        .collect();
    assert_eq!(names, ["id", "who", "extra"]);
    let mut t = renamed::test();
    t.events().push("ada");
    t.settle();
    assert_eq!(t.lines().row().customer, "ada");
    assert_eq!(t.lines().values()[0]["who"], "ada");
    if std::env::args().len() > 9 {
        let _ = renamed::main();
    }
}
