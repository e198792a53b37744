//! Lookups: by an async function and by a plain one, with and without a configuration, by name.
#![deny(warnings, missing_docs, clippy::pedantic)]

use spate::prelude::*;
use ui_tests::{Feed, Line, Order, Plain, Table, line};

/// What a loader may fail with.
type Answer<T> = Result<T, std::io::Error>;

/// All of it.
#[pipeline]
pub mod joined {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[lookup(refresh = "5s")]
    async fn limits() -> Answer<Lookup<u64, u64>> {
        Ok((0..8).map(|id| (id, id * 2)).collect())
    }

    /// Who is known.
    #[lookup(refresh = "250ms")]
    fn names(config: &Config) -> Lookup<String, u64> {
        [(config.file().to_owned(), 1)].into()
    }

    #[lookup(refresh = "1h")]
    async fn bonus(config: &Config) -> Result<Lookup<u64, u64>, String> {
        if config.file().is_empty() { Err("no file".to_owned()) } else { Ok(Lookup::default()) }
    }

    #[cfg(any())]
    #[lookup(refresh = "1d")]
    fn never() -> Lookup<u64, u64> {
        Lookup::default()
    }

    #[state]
    struct Seen {
        count: u64,
    }

    fn small(limits: &Lookup<u64, u64>, order: &Order<'_>) -> bool {
        limits
            .get(&order.id)
            .is_none_or(|limit| *limit > u64::from(order.qty))
    }

    fn known(
        seen: &mut Seen,
        order: &Order<'_>,
        names: &Lookup<String, u64>,
        meta: Meta<'_>,
    ) -> bool {
        seen.count += 1;
        names.contains(order.customer) || meta.offset().0 > seen.count
    }

    fn both<'a>(
        bonus: &Lookup<u64, u64>,
        limits: &Lookup<u64, u64>,
        order: Order<'a>,
    ) -> impl Iterator<Item = Order<'a>> + use<'a> {
        let count = bonus.len() + limits.len();
        std::iter::repeat_n(order, count)
    }

    fn kind(limits: &Lookup<u64, u64>, order: &Order<'_>) -> bool {
        limits.contains(&order.id)
    }

    chain!(all, {
        let orders = events
            .decode()
            .or_skip()
            .filter(small)
            .filter(known)
            .flat_map(both);

        match orders.split_on(kind) {
            true => orders.map(line).to(lines),
            false => orders.discard("unlimited"),
        }
    });
}

/// The only lookup there is may be called anything by an operator.
#[pipeline]
mod alone {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[lookup(refresh = "5s")]
    fn prices() -> Lookup<u64, u64> {
        Lookup::default()
    }

    fn known(by: &Lookup<u64, u64>, order: &Order<'_>) -> bool {
        by.contains(&order.id)
    }

    chain!({ events.decode().or_skip().filter(known).map(line).to(lines) });
}

fn main() {
    let lookups = joined::GRAPH.lookups;
    let names: Vec<(&str, u64)> = lookups
        .iter()
        .map(|lookup| (lookup.name, lookup.refresh_ms))
        .collect();
    assert_eq!(names, [("limits", 5_000), ("names", 250), ("bonus", 3_600_000)]);
    assert_eq!(lookups[0].declared, "Answer<Lookup<u64, u64>>");
    if std::env::args().len() > 9 {
        let _ = joined::main();
        let _ = alone::main();
    }
}
