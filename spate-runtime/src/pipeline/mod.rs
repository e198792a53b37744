//! Assembling and running a pipeline: from a definition and a configuration to its end.

mod controller;
mod definition;
mod pin;
pub(crate) mod plan;
mod probe;
pub mod report;
mod rig;
mod running;
pub mod status;
mod stepped;

pub use controller::{Ended, Outcome};
pub use definition::{Assembler, Definition, OpenFiles, Target};
pub use plan::{Plan, StartError};
pub use rig::{Rig, RigSettings};
pub use running::{Handle, Running};
pub(crate) use stepped::Stepped;

/// 64 random bits from the operating system, by way of the standard library's hasher seeds.
pub(crate) fn random_u64() -> u64 {
    use std::hash::BuildHasher as _;
    std::hash::RandomState::new().hash_one(0u8)
}
