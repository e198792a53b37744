//! W1: JSON orders of ten fields. Decode borrowed, drop the cancelled, map, RowBinary, discard.

use std::sync::Arc;

use spate::prelude::*;

use crate::arena::Arena;
use crate::spate_side;
use crate::workload::{Ratio, Side, Sides, Workload};

/// This workload.
pub const WORKLOAD: Workload = Workload {
    name: "W1",
    what: "JSON orders of ten fields: decode, filter, map, RowBinary",
    records: 300_000,
    sides,
};

fn sides(records: u64) -> Sides {
    let arena = Arc::new(Arena::orders(records));
    let [a, b, c, d, e, f] = std::array::from_fn(|_| Arc::clone(&arena));
    let sides = vec![
        Side::new("spate", move |discard| {
            let pipeline = orders::pipeline(spate::Config::empty());
            spate_side::run(&mut spate_side::rig(&pipeline, &a, 1), discard)
        }),
        Side::new("twin sonic-rs", move |discard| twin::sonic(&b, discard)),
        Side::new("twin serde_json", move |discard| twin::serde_json(&c, discard)),
        Side::new("twin serde_json str", move |discard| twin::serde_json_text(&d, discard)),
        Side::new("spate derived", move |discard| {
            let pipeline = derived::orders::pipeline(spate::Config::empty());
            spate_side::run(&mut spate_side::rig(&pipeline, &e, 1), discard)
        }),
        Side::new("twin derived", move |discard| derived::twin(&f, discard)),
    ];
    let ratios = vec![
        Ratio::at_most("spate", "twin sonic-rs", 1.05),
        Ratio::at_most("spate", "twin serde_json", 1.05),
        Ratio::at_most("spate", "twin serde_json str", 1.05),
        Ratio::at_most("spate derived", "twin sonic-rs", 0.5),
        Ratio::at_most("spate derived", "twin derived", 1.05),
    ];
    Sides::new(sides, ratios).with_rows(row_len)
}

/// One order as it arrives.
#[derive(Debug, Deserialize)]
pub struct OrderIn<'a> {
    order_id: u64,
    customer_id: u64,
    #[serde(borrow)]
    sku: &'a str,
    #[serde(borrow)]
    region: &'a str,
    #[serde(borrow)]
    status: &'a str,
    qty: u32,
    price_cents: u64,
    discount: f64,
    placed_at: i64,
    #[serde(borrow)]
    note: Cow<'a, str>,
}

/// One row.
#[derive(Debug, Row)]
pub struct OrderRow<'a> {
    pub(crate) order_id: u64,
    customer_id: u64,
    sku: &'a str,
    region: &'a str,
    status: &'a str,
    qty: u32,
    total_cents: u64,
    discount: f64,
    placed_at: i64,
    note: Cow<'a, str>,
}

/// Whether an order is kept: 51 of 64 are.
#[inline]
#[must_use]
pub fn is_live(order: &OrderIn<'_>) -> bool {
    order.status != "cancelled"
}

/// The row of an order.
#[inline]
#[must_use]
pub fn row_of(order: OrderIn<'_>) -> OrderRow<'_> {
    OrderRow {
        order_id: order.order_id,
        customer_id: order.customer_id,
        sku: order.sku,
        region: order.region,
        status: order.status,
        qty: order.qty,
        total_cents: order.price_cents * u64::from(order.qty),
        discount: order.discount,
        placed_at: order.placed_at,
        note: order.note,
    }
}

/// The length of the first row of `bytes`.
#[must_use]
pub fn row_len(bytes: &[u8]) -> usize {
    text_end(bytes, status_end(bytes) + 4 + 8 + 8 + 8)
}

/// The column `placed_at` of the first row of `bytes`.
#[must_use]
pub fn placed_at(bytes: &[u8]) -> u64 {
    let at = status_end(bytes) + 4 + 8 + 8;
    bytes[at..at + 8]
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn status_end(bytes: &[u8]) -> usize {
    (0..3).fold(16, |at, _| text_end(bytes, at))
}

/// Where the text ends whose length begins at `at`.
fn text_end(bytes: &[u8], at: usize) -> usize {
    let mut len = 0usize;
    let mut at = at;
    for shift in (0..).step_by(7) {
        len |= usize::from(bytes[at] & 0x7f) << shift;
        at += 1;
        if bytes[at - 1] < 0x80 {
            break;
        }
    }
    at + len
}

/// The pipeline.
#[pipeline]
pub mod orders {
    use super::*;

    /// Where records come from: an arena, by way of a rig.
    #[source]
    fn input() -> Datagen<Json<OrderIn<'_>>>;

    /// Where rows go: discarded by the rig.
    #[sink]
    fn rows() -> ClickHouse<OrderRow<'_>>;

    chain!({
        input
            .decode()
            .or_stop()
            .filter(is_live)
            .map(row_of)
            .to(rows);
    });
}

/// The twins: straight loops over the same payloads, one per decoder.
pub mod twin {
    use super::{OrderIn, OrderRow, is_live, row_of};
    use crate::arena::Arena;

    /// Bytes at which the buffer is discarded: a frame's size.
    const FULL: usize = 256 << 10;

    /// The loop, with `decode` for a decoder.
    fn run<'a>(
        arena: &'a Arena,
        decode: impl FnMut(&'a [u8]) -> Option<OrderIn<'a>>,
        discard: impl FnMut(&[u8]),
    ) -> u64 {
        run_of(arena, decode, is_live, row_of, discard)
    }

    /// The loop, over orders of any type.
    #[inline]
    pub(super) fn run_of<'a, T>(
        arena: &'a Arena,
        mut decode: impl FnMut(&'a [u8]) -> Option<T>,
        is_live: impl Fn(&T) -> bool,
        row_of: impl Fn(T) -> OrderRow<'a>,
        mut discard: impl FnMut(&[u8]),
    ) -> u64 {
        let mut out: Vec<u8> = Vec::with_capacity(FULL + 4096);
        let mut rows = 0;
        for value in arena.values() {
            let Some(order) = decode(value) else { break };
            if !is_live(&order) {
                continue;
            }
            put_row(&mut out, row_of(order));
            rows += 1;
            if out.len() >= FULL {
                discard(&out);
                out.clear();
            }
        }
        discard(&out);
        rows
    }

    /// Appends a row as RowBinary has it.
    #[inline]
    pub fn put_row(out: &mut Vec<u8>, row: OrderRow<'_>) {
        out.extend_from_slice(&row.order_id.to_le_bytes());
        out.extend_from_slice(&row.customer_id.to_le_bytes());
        put_text(out, row.sku);
        put_text(out, row.region);
        put_text(out, row.status);
        out.extend_from_slice(&row.qty.to_le_bytes());
        out.extend_from_slice(&row.total_cents.to_le_bytes());
        out.extend_from_slice(&row.discount.to_le_bytes());
        out.extend_from_slice(&row.placed_at.to_le_bytes());
        put_text(out, &row.note);
    }

    #[inline]
    fn put_text(out: &mut Vec<u8>, text: &str) {
        let mut len = text.len();
        while len >= 0x80 {
            out.push(u8::try_from(len & 0x7f).unwrap_or(0) | 0x80);
            len >>= 7;
        }
        out.push(u8::try_from(len).unwrap_or(0));
        out.extend_from_slice(text.as_bytes());
    }

    /// With serde_json over bytes.
    pub fn serde_json(arena: &Arena, discard: impl FnMut(&[u8])) -> u64 {
        run(arena, |value| serde_json::from_slice(value).ok(), discard)
    }

    /// With serde_json over text whose UTF-8 is checked once: the decoder that `Json` uses.
    pub fn serde_json_text(arena: &Arena, discard: impl FnMut(&[u8])) -> u64 {
        run(arena, decode_text, discard)
    }

    /// The decoder of [`serde_json_text`].
    #[inline]
    #[must_use]
    pub fn decode_text(value: &[u8]) -> Option<OrderIn<'_>> {
        serde_json::from_str(std::str::from_utf8(value).ok()?).ok()
    }

    /// With sonic-rs over bytes.
    pub fn sonic(arena: &Arena, discard: impl FnMut(&[u8])) -> u64 {
        run(arena, |value| sonic_rs::from_slice(value).ok(), discard)
    }
}

/// The same orders, with a decoder derived for them.
pub mod derived {
    use spate::prelude::*;
    use spate_json::scan::Scan;

    use super::{OrderRow, twin};
    use crate::arena::Arena;

    /// One order as it arrives.
    #[derive(Debug, Deserialize, Record)]
    pub struct OrderIn<'a> {
        order_id: u64,
        customer_id: u64,
        sku: &'a str,
        region: &'a str,
        status: &'a str,
        qty: u32,
        price_cents: u64,
        discount: f64,
        placed_at: i64,
        #[serde(borrow)]
        note: Cow<'a, str>,
    }

    /// Whether an order is kept: 51 of 64 are.
    #[inline]
    #[must_use]
    pub fn is_live(order: &OrderIn<'_>) -> bool {
        order.status != "cancelled"
    }

    /// The row of an order.
    #[inline]
    #[must_use]
    pub fn row_of(order: OrderIn<'_>) -> OrderRow<'_> {
        OrderRow {
            order_id: order.order_id,
            customer_id: order.customer_id,
            sku: order.sku,
            region: order.region,
            status: order.status,
            qty: order.qty,
            total_cents: order.price_cents * u64::from(order.qty),
            discount: order.discount,
            placed_at: order.placed_at,
            note: order.note,
        }
    }

    /// The pipeline.
    #[pipeline]
    pub mod orders {
        use super::*;

        /// Where records come from: an arena, by way of a rig.
        #[source]
        fn input() -> Datagen<Json<OrderIn<'_>>>;

        /// Where rows go: discarded by the rig.
        #[sink]
        fn rows() -> ClickHouse<OrderRow<'_>>;

        chain!({
            input
                .decode()
                .or_stop()
                .filter(is_live)
                .map(row_of)
                .to(rows);
        });
    }

    /// The straight loop, with the same decoder and nothing around it.
    pub fn twin(arena: &Arena, discard: impl FnMut(&[u8])) -> u64 {
        let mut plan = Default::default();
        let decode = |value| {
            let (order, rest) = OrderIn::scan(std::str::from_utf8(value).ok()?, &mut plan)?;
            rest.is_empty().then_some(order)
        };
        twin::run_of(arena, decode, is_live, row_of, discard)
    }
}
