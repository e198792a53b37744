//! The trait a source connector implements; its sink twin is `sink::SinkConnector`.

use crate::config::{ConfigErrors, Key, Schema, Section};
use crate::lane::source::Source;

/// The type a source is declared with, such as `Kafka<Json<OrderEvent<'static>>>`.
pub trait SourceConnector: Sized + 'static {
    /// How its payloads are decoded; a `Format<'buf>` for the lifetimes the loop needs.
    type Format;
    /// The keys of its section.
    const SCHEMA: &'static Schema;

    /// Reads its settings from its section of the configuration.
    ///
    /// # Errors
    ///
    /// Every setting that is missing, of the wrong type or contradicts another.
    fn from_section(section: &Section<'_>) -> Result<Self, ConfigErrors>;

    /// Makes the control plane; touches nothing outside.
    ///
    /// # Errors
    ///
    /// When the client library refuses the settings.
    fn into_source(self) -> Result<Box<dyn Source>, crate::error::SourceError>;
}

/// The keys of the sections of `C`, for generated code.
#[doc(hidden)]
#[must_use]
pub const fn source_keys<C: SourceConnector>() -> &'static [Key] {
    C::SCHEMA.keys
}
