//! W6: how cost grows. W1's orders through the whole engine, with more lanes and with more shards.
//!
//! What is compared is CPU time per record over all threads: with more lanes than cores the lanes
//! take turns, and it should still be flat.

use std::sync::Arc;

use spate::prelude::*;

use crate::arena::Arena;
use crate::engine::{self, Arenas, Discarded, Ends};
use crate::w1::{OrderIn, OrderRow, is_live, row_of};
use crate::w2::{Tick, TickRow, WrongLength, is_kept, tick_of};
use crate::workload::{Ratio, Side, Sides, Workload};

/// This workload.
pub const WORKLOAD: Workload = Workload {
    name: "W6",
    what: "W1 in the whole engine, with more lanes and more shards",
    records: 400_000,
    sides,
};

/// Sides by name: lanes (and lane threads), shards.
const SIDES: [(&str, usize, usize); 6] = [
    ("1 lane, 1 shard", 1, 1),
    ("2 lanes", 2, 1),
    ("4 lanes", 4, 1),
    ("4 shards", 1, 4),
    ("16 shards", 1, 16),
    ("64 shards", 1, 64),
];

fn sides(records: u64) -> Sides {
    // The same orders whatever the number of lanes, each lane a part.
    let arenas = [1, 2, 4].map(|lanes| (lanes, orders_of(records, lanes)));
    let side = |(name, lanes, shards): (&'static str, usize, usize)| {
        let arenas = arenas.iter().find(|(of, _)| *of == lanes);
        let arenas = arenas.map(|(_, arenas)| arenas.clone()).unwrap_or_default();
        Side::new(name, move |_| {
            let config = format!("pipeline: {{ threads: {lanes}, admin: off }}\n");
            engine::run(&orders::pipeline(parse(&config)), Ends { arenas: arenas.clone(), shards })
        })
    };
    let (base, _, _) = SIDES[0];
    let ratios = SIDES[1..]
        .iter()
        .map(|(name, _, shards)| Ratio::at_most(name, base, if *shards > 1 { 1.3 } else { 1.1 }));
    Sides::new(SIDES.map(side).into(), ratios.collect())
}

/// `records` orders in `lanes` arenas.
#[must_use]
pub fn orders_of(records: u64, lanes: usize) -> Vec<Arc<Arena>> {
    let arenas = Arena::orders_in(records, lanes as u64);
    arenas.into_iter().map(Arc::new).collect()
}

/// A configuration from its text.
///
/// # Panics
///
/// If it is no YAML.
#[must_use]
pub fn parse(text: &str) -> spate::Config {
    spate::Config::parse("bench.yaml", text, &|_| None).expect("it is YAML")
}

/// W1's pipeline, with a key.
#[pipeline]
pub mod orders {
    use super::*;

    /// Where records come from.
    #[source]
    fn input() -> Arenas<Json<OrderIn<'_>>>;

    /// Where rows go.
    #[sink(key = order_id)]
    fn rows() -> Discarded<OrderRow<'_>>;

    chain!({
        input
            .decode()
            .or_stop()
            .filter(is_live)
            .map(row_of)
            .to(rows);
    });
}

/// W2's pipeline.
#[pipeline]
pub mod ticks {
    use super::*;

    /// Where records come from.
    #[source]
    fn input() -> Arenas<Json<std::convert::Infallible>>;

    /// Where rows go.
    #[sink(key = key)]
    fn rows() -> Discarded<TickRow>;

    fn read(raw: Raw<'_>) -> Result<Tick, WrongLength> {
        raw.value().map_or(Err(WrongLength::new(0)), tick_of)
    }

    chain!({
        input
            .decode(read)
            .or_stop()
            .filter(is_kept)
            .map(crate::w2::row_of)
            .to(rows);
    });
}
