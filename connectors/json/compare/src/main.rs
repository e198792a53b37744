//! Compares decoders that borrow, on the ten-field orders of the benchmarks.
//!
//! `cargo run --release --manifest-path connectors/json/compare/Cargo.toml -- [records [part of a name]]`
//!
//! Prints the CPU time per record of each decoder, the median of seven rounds run alternately, and
//! the ratio to the first. All must read the same values. Linux only: it reads the scheduler's
//! count. With a part of a name only those run, for counting instructions:
//! `valgrind --tool=callgrind connectors/json/compare/target/release/spate-json-compare 10000 sonic`

use std::borrow::Cow;

use serde::Deserialize;
use spate_datagen::{Orders, Settings, Shape};
use spate_json::{Json, JsonDecoder};
use spate_runtime::chain::format::Format;

#[derive(Deserialize)]
struct Wide<'a> {
    order_id: u64,
    customer_id: u64,
    #[serde(borrow)]
    sku: Cow<'a, str>,
    #[serde(borrow)]
    region: Cow<'a, str>,
    #[serde(borrow)]
    status: Cow<'a, str>,
    qty: u32,
    price_cents: u64,
    discount: f64,
    placed_at: u64,
    #[serde(borrow)]
    note: Cow<'a, str>,
}

impl Wide<'_> {
    /// Touches every field, so that none is left out.
    fn sum(&self) -> u64 {
        let texts = [&self.sku, &self.region, &self.status, &self.note];
        let texts: usize = texts.into_iter().map(|text| text.len()).sum();
        self.order_id
            .wrapping_add(self.customer_id)
            .wrapping_add(u64::from(self.qty))
            .wrapping_add(self.price_cents)
            .wrapping_add(self.discount.to_bits())
            .wrapping_add(self.placed_at)
            .wrapping_add(texts as u64)
    }
}

type Decode = Box<dyn Fn(&[&[u8]]) -> u64>;

const READS: &str = "clean orders decode";

fn decoders() -> Vec<(&'static str, Decode)> {
    fn each(decode: impl Fn(&[u8]) -> u64 + 'static) -> Decode {
        Box::new(move |payloads| {
            payloads
                .iter()
                .fold(0, |sum: u64, payload| sum.wrapping_add(decode(payload)))
        })
    }
    vec![
        (
            "spate-json",
            each(|payload| {
                let mut decoder = JsonDecoder::default();
                let records = Json::<Wide<'_>>::records(&mut decoder, payload);
                records.fold(0, |sum, wide| sum.wrapping_add(wide.expect(READS).sum()))
            }),
        ),
        (
            "serde_json over text checked once",
            each(|payload| {
                let text = std::str::from_utf8(payload).expect(READS);
                serde_json::from_str::<Wide<'_>>(text).expect(READS).sum()
            }),
        ),
        (
            "serde_json over bytes",
            each(|payload| {
                serde_json::from_slice::<Wide<'_>>(payload)
                    .expect(READS)
                    .sum()
            }),
        ),
        (
            "sonic-rs over bytes",
            each(|payload| {
                sonic_rs::from_slice::<Wide<'_>>(payload)
                    .expect(READS)
                    .sum()
            }),
        ),
        (
            "simd-json over a copy",
            Box::new(|payloads| {
                let mut buffers = simd_json::Buffers::default();
                let mut copy = Vec::new();
                payloads.iter().fold(0, |sum: u64, payload| {
                    copy.clear();
                    copy.extend_from_slice(payload);
                    let wide = simd_json::serde::from_slice_with_buffers::<Wide<'_>>(
                        &mut copy,
                        &mut buffers,
                    );
                    sum.wrapping_add(wide.expect(READS).sum())
                })
            }),
        ),
    ]
}

/// Nanoseconds this thread was on a processor.
fn cpu_nanos() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let count = text.split(' ').next().and_then(|count| count.parse().ok());
    count.expect("the first of three numbers")
}

fn main() {
    let records = std::env::args()
        .nth(1)
        .and_then(|records| records.parse().ok());
    let records: u64 = records.unwrap_or(1_000_000);
    let mut arena = Vec::new();
    let mut ends = vec![0];
    let mut orders = Orders::new(&Settings { shape: Shape::Wide, ..Settings::clean(records) });
    while orders.append_next(&mut arena).is_some() {
        ends.push(arena.len());
    }
    let payloads: Vec<&[u8]> = ends
        .windows(2)
        .map(|ends| &arena[ends[0]..ends[1]])
        .collect();

    let only = std::env::args().nth(2).unwrap_or_default();
    let mut decoders = decoders();
    decoders.retain(|(name, _)| name.contains(&only));
    let mut nanos: Vec<Vec<u64>> = decoders.iter().map(|_| Vec::new()).collect();
    let mut sums = Vec::new();
    for _ in 0..7 {
        for ((_, decode), nanos) in decoders.iter().zip(&mut nanos) {
            let before = cpu_nanos();
            sums.push(decode(&payloads));
            nanos.push((cpu_nanos() - before) / records);
        }
    }
    assert!(sums.windows(2).all(|pair| pair[0] == pair[1]), "not the same values: {sums:?}");

    println!("{records} records of {} bytes", arena.len() as u64 / records);
    let median = |nanos: &mut Vec<u64>| {
        nanos.sort_unstable();
        nanos[nanos.len() / 2]
    };
    let first = median(&mut nanos[0]);
    for ((name, _), nanos) in decoders.iter().zip(&mut nanos) {
        let median = median(nanos);
        let percent = median * 100 / first.max(1);
        println!("{name:36} {median:4} ns  {}.{:02}", percent / 100, percent % 100);
    }
}
