//! Files as source and sink for spate, one JSON row a line.

mod ndjson;

pub use ndjson::Ndjson;
