//! The pipeline under test: generated orders into files, and into a sink that can hang.

use spate::prelude::*;

use crate::hold::Hold;

/// One generated order.
#[derive(Deserialize)]
pub(crate) struct Order<'a> {
    order_id: u64,
    #[serde(borrow)]
    customer: Cow<'a, str>,
    qty: u32,
    unit_cents: u32,
    #[expect(dead_code, reason = "decoded, so that every poison is refused")]
    kind: Kind,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Placed,
    Refunded,
    Ping,
}

/// One row.
#[derive(Row)]
pub(crate) struct Line<'a> {
    order_id: u64,
    customer: Cow<'a, str>,
    total_cents: u64,
}

#[pipeline(config = "tests/program/orders.yaml")]
pub(crate) mod orders {
    use super::*;

    #[source]
    fn events() -> Datagen<Json<Order<'_>>>;

    #[sink]
    fn lines() -> File<Line<'_>>;

    #[sink]
    fn held() -> Hold<Line<'_>>;

    #[sink]
    fn rejects() -> File<DeadLetter<'_>>;

    fn line<'a>(order: &Order<'a>) -> Line<'a> {
        let total_cents = u64::from(order.qty) * u64::from(order.unit_cents);
        Line { order_id: order.order_id, customer: order.customer.clone(), total_cents }
    }

    chain!(copy, {
        let (files, other) = events.decode().or_to(rejects).tee();
        files.map(line).to(lines);
        other.map(|order| line(&order)).to(held)
    });
}
