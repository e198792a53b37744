//! The bounded queue of one shard, and how it wakes the lane threads that wait for room.
//!
//! Lane threads offer, one writer receives. A refused frame comes back; whoever was refused is
//! woken by the next slot that frees.
//!
//! Holds: INV-Q2. Models: `loom.rs`.

#[cfg(all(test, loom))]
mod loom;
mod park;
mod shard;

pub use park::{Parker, Slot};
pub use shard::{Refused, ShardQueue};
