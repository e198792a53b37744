//! Whole pipelines between a real Kafka and a real ClickHouse, asked in SQL what arrived.
//!
//! `tests/services/run` starts both; without it every test says that it is skipped, and why.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod support;

mod crash;
mod end_to_end;
mod offsets;
mod outages;
mod rebalance;
mod refusals;
mod shutdown;
mod topics;
