//! Kafka as a source for spate.
//!
//! One consumer per process; every assigned partition becomes a lane whose messages are taken in
//! batches and stay where librdkafka put them: no copy, no allocation per record. Offsets are
//! committed by the engine, when rows are durable, and by nobody else.
//!
//! ```yaml
//! events:
//!   brokers: [kafka-1:9092, kafka-2:9092]
//!   topic: orders
//!   group: orders-to-clickhouse
//!   start: earliest
//! ```
//!
//! At least once: a position moves only behind rows that are durable. Never a silent jump: a
//! position the log no longer has is an error that names it, unless `out_of_range: earliest` says
//! otherwise.

mod config;
#[cfg(feature = "embedded")]
mod embedded;
mod error;
#[cfg(any(test, feature = "embedded"))]
mod mock;
mod source;
mod start;
mod sys;
mod waker;

use std::fmt;
use std::marker::PhantomData;

use spate_runtime::config::{ConfigErrors, Schema, Section};
use spate_runtime::connector::SourceConnector;
use spate_runtime::error::SourceError;
use spate_runtime::lane::source::Source;

use crate::config::Settings;
use crate::source::KafkaSource;

/// A Kafka source whose payloads are decoded as `F`.
pub struct Kafka<F> {
    settings: Settings,
    format: PhantomData<fn() -> F>,
}

impl<F> fmt::Debug for Kafka<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kafka")
            .field("topics", &self.settings.topics)
            .field("group", &self.settings.group)
            .finish_non_exhaustive()
    }
}

impl<F: 'static> SourceConnector for Kafka<F> {
    type Format = F;
    const SCHEMA: &'static Schema = &config::SCHEMA;

    fn from_section(section: &Section<'_>) -> Result<Self, ConfigErrors> {
        Ok(Self { settings: Settings::from_section(section)?, format: PhantomData })
    }

    fn into_source(self) -> Result<Box<dyn Source>, SourceError> {
        Ok(Box::new(KafkaSource::new(self.settings)?))
    }
}
