//! Whole pipelines, real servers, crashes and rebalances: the pipelines that the tests run.
//!
//! Each is a library function and a program (`src/bin`), so that a test can run it within its own
//! process and look at its status, or as a process that can be killed.

use spate::prelude::*;

/// What an order is about.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It was placed.
    Placed,
    /// It was refunded.
    Refunded,
    /// A heartbeat.
    Ping,
}

/// One order as it arrives; borrows from the source's buffer.
#[derive(Debug, Deserialize)]
pub struct OrderEvent<'a> {
    order_id: u64,
    #[serde(borrow)]
    customer: Cow<'a, str>,
    qty: u32,
    unit_cents: u32,
    kind: Kind,
}

/// A placed or refunded order, and where it came from.
#[derive(Debug, Row)]
pub struct OrderLine<'a> {
    order_id: u64,
    customer: LowCardinality<Cow<'a, str>>,
    total_cents: u64,
    partition: u32,
    offset: u64,
}

/// The total of an order does not fit 32 bits.
#[derive(Debug)]
pub struct Overflow(u64);

impl std::fmt::Display for Overflow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a total of {} cents does not fit 32 bits", self.0)
    }
}

impl std::error::Error for Overflow {}

/// Orders as the language's own example has them, everything into ClickHouse.
#[pipeline]
pub mod orders {
    use super::*;

    #[source(partition_key = order_id)]
    fn events() -> Kafka<Json<OrderEvent<'_>>>;

    #[sink(key = order_id)]
    fn lines() -> ClickHouse<OrderLine<'_>>;

    #[sink(key = order_id)]
    fn refunds() -> ClickHouse<OrderLine<'_>>;

    #[sink]
    fn rejects() -> ClickHouse<DeadLetter<'_>>;

    /// Remembers recent ids; one per lane.
    #[state]
    #[derive(Default)]
    struct Seen {
        recent: RecentKeys<u64, 65_536>,
    }

    fn in_stock(e: &OrderEvent<'_>) -> bool {
        e.qty > 0
    }

    fn first_time(seen: &mut Seen, e: &OrderEvent<'_>) -> bool {
        seen.recent.insert(e.order_id)
    }

    fn price<'a>(e: OrderEvent<'a>, meta: Meta<'_>) -> Result<OrderLine<'a>, Overflow> {
        let line = refund(e, meta);
        match u32::try_from(line.total_cents) {
            Ok(_) => Ok(line),
            Err(_too_large) => Err(Overflow(line.total_cents)),
        }
    }

    fn refund<'a>(e: OrderEvent<'a>, meta: Meta<'_>) -> OrderLine<'a> {
        OrderLine {
            order_id: e.order_id,
            customer: LowCardinality(e.customer),
            total_cents: u64::from(e.qty) * u64::from(e.unit_cents),
            partition: meta.partition(),
            offset: meta.offset().0,
        }
    }

    chain!(bill, {
        let placed = events
            .decode()
            .or_to(rejects)
            .filter(in_stock)
            .filter(first_time);

        match placed.split_on(|e| e.kind) {
            Kind::Placed => placed.try_map(price).or_skip().to(lines),
            Kind::Refunded => placed.map(refund).to(refunds),
            Kind::Ping => placed.discard("heartbeat"),
        }
    });
}

/// A number.
#[derive(Debug, Deserialize)]
pub struct Numbered {
    n: u64,
}

/// A number, and where it came from.
#[derive(Debug, Row)]
pub struct Copied {
    n: u64,
    partition: u32,
    offset: u64,
}

fn copied(record: Numbered, meta: &Meta<'_>) -> Copied {
    Copied { n: record.n, partition: meta.partition(), offset: meta.offset().0 }
}

/// Every record that decodes becomes one row.
#[pipeline]
pub mod copies {
    use super::*;

    #[source]
    fn events() -> Kafka<Json<Numbered>>;

    #[sink]
    fn rows() -> ClickHouse<Copied>;

    fn copy(record: Numbered, meta: Meta<'_>) -> Copied {
        copied(record, &meta)
    }

    chain!(all, { events.decode().or_skip().map(copy).to(rows) });
}

/// As `copies`, but stops at what does not decode.
#[pipeline]
pub mod strict {
    use super::*;

    #[source]
    fn events() -> Kafka<Json<Numbered>>;

    #[sink]
    fn rows() -> ClickHouse<Copied>;

    fn copy(record: Numbered, meta: Meta<'_>) -> Copied {
        copied(record, &meta)
    }

    chain!(all, { events.decode().or_stop().map(copy).to(rows) });
}

/// A number and nothing else: rows from different records may be the same.
#[derive(Debug, Row)]
pub struct Bare {
    n: u64,
}

/// Every record that decodes becomes a row that says nothing of where it came from.
#[pipeline]
pub mod bare {
    use super::*;

    #[source]
    fn events() -> Kafka<Json<Numbered>>;

    #[sink]
    fn rows() -> ClickHouse<Bare>;

    fn strip(record: Numbered) -> Bare {
        Bare { n: record.n }
    }

    chain!(all, { events.decode().or_skip().map(strip).to(rows) });
}
