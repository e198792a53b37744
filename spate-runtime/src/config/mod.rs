//! Configuration: YAML with a section per declared name, checked against constant schemas.
//!
//! ```text
//! text --yaml--> nodes --vars--> nodes      (file.rs: once, at start)
//!                                  |
//! const entries (macro) ---------> check (const fn) ---> faults ---> ConfigErrors or a const panic
//!                                  |
//!                               Section ---> connectors, settings
//! ```
//!
//! One `const fn` decides what is right, at compile time and at start ([`check`]). The schema gives
//! every value its type, never the way it is written: `NO` and `0123` are texts where a text is
//! asked for. `${VAR}` is filled in after the YAML was read, inside values only.

pub mod check;
mod error;
mod file;
mod message;
pub mod nearest;
mod scalar;
mod schema;
mod secret;
mod section;
mod settings;
mod sizing;
mod vars;
mod yaml;

pub use error::{ConfigError, ConfigErrors};
pub use file::Config;
pub use nearest::nearest;
pub use schema::{Key, Schema, Type};
pub use secret::Secret;
pub use section::Section;
pub use settings::{LogFormat, PIPELINE_KEYS, Pin, PipelineSettings, SINK_KEYS, SinkSettings};
pub use sizing::{SinkLoad, Sizing, check_commit_interval, check_drain};
