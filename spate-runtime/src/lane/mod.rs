//! The source's half of the runtime: lanes, what they share, the threads that run them.

pub mod assign;
pub mod drive;
#[cfg(all(test, loom))]
mod loom;
#[cfg(all(test, not(loom)))]
mod model;
pub mod shared;
pub mod source;
pub mod thread;
