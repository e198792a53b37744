//! Payloads as they are, a decoder of one's own, and connectors that a body builds.
#![deny(warnings)]

use spate::prelude::*;
use ui_tests::{Feed, Line, Order, Table};

#[pipeline(__editor)]
mod payloads {
    use super::*;

    /// Built by hand.
    #[source]
    fn plain(_config: &Config) -> Feed<Raw<'_>> {
        Feed::made()
    }

    #[source]
    fn decoded() -> Feed<Raw<'_>> {
        Feed::made()
    }

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[sink]
    fn rejects() -> Table<DeadLetter<'_>>;

    fn text(raw: Raw<'_>) -> Option<Line<'_>> {
        let customer = str::from_utf8(raw.value()?).ok()?;
        Some(Line { id: raw.offset().0, customer })
    }

    fn own(raw: Raw<'_>) -> Result<Order<'_>, std::str::Utf8Error> {
        let bytes = raw.value().unwrap_or_default();
        ui_tests::FromBytes::from_bytes(bytes)
    }

    chain!(plainly, {
        plain.raw().filter_map(text).to(lines);
    });

    chain!(by_hand::<Order<'_>, Line<'_>>, {
        decoded
            .decode(own)
            .or_to(rejects)
            .map(ui_tests::line)
            .to(lines);
    });
}

fn main() {
    // Not run here: what counts is that it builds.
    if std::env::args().len() > 9 {
        let _ = payloads::main();
    }
}
