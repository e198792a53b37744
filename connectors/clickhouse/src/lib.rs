//! ClickHouse as a sink for spate.
