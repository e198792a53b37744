//! The source's half of the runtime: lanes, what they share, the threads that run them.

pub mod assign;
pub mod drive;
pub mod shared;
pub mod source;
pub mod thread;
