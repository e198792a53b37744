//! Kafka as a source for spate.
