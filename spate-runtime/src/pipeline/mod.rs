//! Assembling and running a pipeline: from a definition and a configuration to a report.

mod definition;

pub use definition::{Assembler, Definition, Target};
