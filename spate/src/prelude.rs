//! What a program with a pipeline needs in scope.

pub use std::borrow::Cow;

pub use serde::Deserialize;

pub use spate_macros::{Record, Row, chain, pipeline};

pub use spate_runtime::batch::{Meta, Raw};
pub use spate_runtime::chain::dead_letter::DeadLetter;
pub use spate_runtime::chain::decimal::Decimal;
pub use spate_runtime::chain::dedup::DedupKey;
pub use spate_runtime::chain::operator::Operator;
pub use spate_runtime::chain::recent_keys::RecentKeys;
pub use spate_runtime::chain::record::Record;
pub use spate_runtime::chain::row::Row;
pub use spate_runtime::chain::time::{Date, Date32, DateTime, DateTime64};
pub use spate_runtime::chain::types::{Bytes, FixedBytes, Map, Uuid};
pub use spate_runtime::chain::value::LowCardinality;
pub use spate_runtime::lookup::Lookup;

#[cfg(feature = "clickhouse")]
pub use spate_clickhouse::ClickHouse;
#[cfg(feature = "datagen")]
pub use spate_datagen::Datagen;
#[cfg(feature = "file")]
pub use spate_file::File;
#[cfg(feature = "json")]
pub use spate_json::Json;
#[cfg(feature = "kafka")]
pub use spate_kafka::Kafka;
