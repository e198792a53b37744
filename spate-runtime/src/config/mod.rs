//! Configuration: YAML with a section per declared name, checked against constant schemas.
//!
//! ```text
//! text --spate-yaml--> nodes      (file.rs: once, at start)
//!                        |
//! entries (macro) ---> check, fit (const fn) ---> faults ---> ConfigErrors or a const panic
//!                        |
//!                     Section ---> connectors, settings
//! ```
//!
//! One `const fn` decides what is right, at compile time and at start ([`check`]). The schema gives
//! every value its type, never the way it is written: `NO` and `0123` are texts where a text is
//! asked for. `${VAR}` is filled in after the YAML was read, inside values only.

pub mod check;
mod error;
mod file;
mod fit;
mod message;
pub mod nearest;
mod scalar;
mod schema;
mod secret;
mod section;
mod settings;

pub use error::{ConfigError, ConfigErrors};
pub use file::Config;
pub use fit::{Load, Unfit};
pub use nearest::nearest;
pub use schema::{Ban, Key, Means, Refuses, Schema, Type};
pub use secret::Secret;
pub use section::Section;
pub use settings::{LogFormat, PIPELINE_KEYS, Pin, PipelineSettings, SINK_KEYS, SinkSettings};
