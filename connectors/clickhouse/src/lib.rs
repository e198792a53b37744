//! ClickHouse as a sink: RowBinary over HTTP, one insert per sealed batch.
//!
//! `Ok` from the server means durable: inserts are synchronous, or wait. Every insert carries its
//! batch's deduplication token, so a retry whose first try was committed unheard adds nothing, where
//! the table keeps a deduplication window; `check` says so when it does not.
//!
//! ```yaml
//! lines:
//!   shards: [[http://ch1:8123, http://ch2:8123], [http://ch3:8123]]   # or `url: http://ch:8123`
//!   database: shop
//!   table: order_lines
//!   user: writer
//!   password: ${CLICKHOUSE_PASSWORD}
//! ```
//!
//! A row's columns are matched with the table's by name, and their types before anything is written.

mod config;
mod error;
mod sink;
mod sql;
pub mod table;
mod transport;
pub mod types;

#[cfg(test)]
mod testing;

pub use sink::ClickHouse;
pub use sink::encoder::RowBinary;
