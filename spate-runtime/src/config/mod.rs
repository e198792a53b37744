//! Configuration: YAML with a section per declared name, checked against constant schemas.

mod schema;
mod section;

pub use schema::{Key, Schema, Type};
pub use section::{ConfigError, ConfigErrors, Secret, Section};
