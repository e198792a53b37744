//! Orders from Kafka into ClickHouse: what can be priced, what was refunded, and what is no order.
//!
//! With nothing installed, over an embedded Kafka of a million generated orders:
//!
//! ```text
//! cargo run --release -p spate-examples -- run --sinks-to out
//! ```
//!
//! Against a real Kafka and ClickHouse, with the tables of `examples/schema/`:
//!
//! ```text
//! cargo run --release -p spate-examples -- run --config examples/orders.kafka.yaml
//! ```

use spate::prelude::*;

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Placed,
    Refunded,
    Ping,
}

/// One order as it arrives; borrows from the source's buffer.
#[derive(Deserialize)]
pub struct OrderEvent<'a> {
    order_id: u64,
    #[serde(borrow)]
    customer: Cow<'a, str>,
    qty: u32,
    unit_cents: u32,
    kind: Kind,
}

/// One row of `order_lines`; its fields are held against the table's DDL when this compiles.
#[derive(Row)]
#[row(ddl = "schema/order_lines.sql")]
pub struct OrderLine<'a> {
    order_id: u64,
    customer: LowCardinality<Cow<'a, str>>,
    total_cents: u64,
}

/// One row of `refunds`.
#[derive(Row)]
#[row(ddl = "schema/refunds.sql")]
pub struct RefundRow<'a> {
    order_id: u64,
    customer: LowCardinality<Cow<'a, str>>,
    refund_cents: u64,
}

/// An order over 42,949,672.95: a slip of the keyboard, not an order.
#[derive(Debug)]
pub struct Overflow;

impl std::fmt::Display for Overflow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the total does not fit 32 bits of cents")
    }
}

impl std::error::Error for Overflow {}

/// Orders from Kafka into ClickHouse.
#[pipeline(config = "orders.yaml")]
pub mod orders {
    use super::*;

    /// Where records come from: the connector and the format, in one type.
    #[source(partition_key = order_id)]
    fn events() -> Kafka<Json<OrderEvent<'_>>>;

    /// Where rows go: the connector and the row, in one type.
    #[sink(key = order_id)]
    fn lines() -> ClickHouse<OrderLine<'_>>;

    #[sink(key = order_id)]
    fn refunds() -> ClickHouse<RefundRow<'_>>;

    #[sink]
    fn rejects() -> File<DeadLetter<'_>>;

    /// Remembers recent ids; one per lane: no lock, no sharing.
    #[state]
    struct Seen {
        recent: RecentKeys<u64, 65_536>,
    }

    // Operators are ordinary functions: they have names, docs, unit tests and lints,
    // and their signature says what they are.
    fn in_stock(e: &OrderEvent<'_>) -> bool {
        e.qty > 0
    }

    fn first_time(seen: &mut Seen, e: &OrderEvent<'_>) -> bool {
        seen.recent.insert(e.order_id)
    }

    fn price(e: OrderEvent<'_>) -> Result<OrderLine<'_>, Overflow> {
        let total = e.qty.checked_mul(e.unit_cents).ok_or(Overflow)?;
        let customer = LowCardinality(e.customer);
        Ok(OrderLine { order_id: e.order_id, customer, total_cents: u64::from(total) })
    }

    fn refund(e: OrderEvent<'_>) -> RefundRow<'_> {
        let refund_cents = u64::from(e.qty) * u64::from(e.unit_cents);
        let customer = LowCardinality(e.customer);
        RefundRow { order_id: e.order_id, customer, refund_cents }
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

fn main() -> std::process::ExitCode {
    orders::main()
}
