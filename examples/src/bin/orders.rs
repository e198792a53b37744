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

#[derive(Clone, Copy, Deserialize, Record)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Placed,
    Refunded,
    Ping,
}

/// One order as it arrives; borrows from the source's buffer.
#[derive(Deserialize, Record)]
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn order(order_id: u64, qty: u32, kind: &str) -> String {
        format!(
            r#"{{"order_id":{order_id},"customer":"ada","qty":{qty},"unit_cents":250,"kind":"{kind}"}}"#
        )
    }

    #[test]
    fn a_placed_order_becomes_a_line() {
        let mut t = orders::test();
        t.events().push(order(7, 2, "placed"));
        t.settle();

        let line = t.lines().row();
        assert_eq!((line.order_id, line.total_cents), (7, 500));
        assert_eq!(line.customer.0, "ada");
        assert!(t.refunds().is_empty() && t.rejects().is_empty());
    }

    #[test]
    fn every_kind_of_order_goes_its_way() {
        let mut t = orders::test();
        t.events().push(order(1, 1, "placed"));
        t.events().push(order(2, 3, "refunded"));
        t.events().push(order(3, 1, "ping"));
        t.events().push(order(4, 0, "placed")); // nothing in stock
        t.events().push(order(1, 1, "placed")); // known already
        t.events().push(order(5, u32::MAX, "placed")); // cannot be priced
        t.events().tombstone();
        t.settle();

        assert_eq!(t.lines().row().order_id, 1);
        assert_eq!(t.refunds().row().refund_cents, 750);
        assert_eq!(t.counter("in_stock").filtered, 1);
        assert_eq!(t.counter("first_time").filtered, 1);
        assert_eq!(t.counter("price").skipped, 1);
        assert_eq!(t.counter("discard").discarded, 1);
        assert_eq!(t.skips()[0].reason, "the total does not fit 32 bits of cents");
    }

    #[test]
    fn what_is_no_order_becomes_a_dead_letter_that_says_where_it_comes_from() {
        let mut t = orders::test();
        let events = t.events().partition(3).key("k-1").header("trace", "abc");
        events.offset(42).push("{");
        t.settle();

        let letter = t.rejects().row();
        assert_eq!((letter.stage, letter.partition, letter.offset), ("decode", 3, 42));
        assert_eq!((letter.key, letter.payload), (Some(&b"k-1"[..]), Some(&b"{"[..])));
        assert_eq!(*letter.header_names, ["trace"]);
        assert!(letter.reason.starts_with("EOF while parsing"), "{}", letter.reason);
    }

    #[test]
    fn an_order_is_committed_once_its_line_is_durable_and_not_before() {
        let mut t = orders::test();
        t.lines().fail(3);
        t.events().push(order(1, 1, "placed"));
        t.advance(Duration::from_millis(1050)); // the linger, and the first write
        assert_eq!((t.lines().len(), t.events().committed()), (0, 0));

        t.settle();
        assert_eq!((t.lines().len(), t.events().committed()), (1, 1));
        assert_eq!(t.lines().writes(), 4);
    }

    #[test]
    fn a_crash_repeats_what_was_not_committed_and_loses_nothing() {
        let mut t = orders::test();
        t.events().push(order(1, 1, "placed"));
        t.settle();
        t.events().push(order(2, 1, "placed"));
        t.run(); // read, and not written yet
        t.crash();
        t.settle();

        let ids: Vec<u64> = t.lines().rows().iter().map(|line| line.order_id).collect();
        assert_eq!(ids, [1, 2]);
    }

    #[test]
    fn a_partition_that_comes_back_has_forgotten_what_it_saw() {
        let mut t = orders::test();
        t.events().push(order(1, 1, "placed"));
        t.settle();
        t.events().revoke();
        t.settle();
        t.events().assign();
        t.events().push(order(1, 1, "placed"));
        t.settle();

        assert_eq!(t.lines().len(), 2);
        assert_eq!(t.counter("first_time").filtered, 0);
    }

    #[test]
    fn a_refused_batch_stops_the_pipeline_before_its_commit() {
        let mut t = orders::test();
        t.lines().refuse("no such column");
        t.events().push(order(1, 1, "placed"));
        let report = t.fail();

        assert!(report.snapshot.failures[0].contains("no such column"), "{report}");
        assert_eq!((report.exit_code(), t.events().committed()), (1, 0));
    }
}
