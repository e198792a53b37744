//! A tee in a branch of a tee, and items behind a `flat_map` that fail one by one.
#![deny(warnings)]

use spate::prelude::*;
use ui_tests::{Feed, Line, Order, Plain, Refused, Table};

#[pipeline(__editor)]
mod items {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<DeadLetter<'_>>;

    fn words<'a>(order: &Order<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
        order.customer.split(' ')
    }

    fn row(word: &str) -> Result<Line<'_>, Refused> {
        if word.is_empty() { Err(Refused) } else { Ok(Line { id: 1, customer: word }) }
    }

    chain!(split, {
        let (whole, parts) = events.decode().or_stop().tee();
        let (one, two) = whole.tee();
        one.filter(|e| e.id > 1)
            .flat_map(words)
            .try_map(row)
            .or_to(rejects)
            .to(lines);
        two.flat_map(words)
            .named("words_again")
            .filter(|word| !word.is_empty())
            .try_map(row)
            .or_skip()
            .named("row_again")
            .to(lines);
        parts.map(ui_tests::line).to(lines);
    });
}

fn main() {
    // Not run here: what counts is that it builds.
    if std::env::args().len() > 9 {
        let _ = items::main();
    }
}
