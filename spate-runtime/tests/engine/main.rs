//! Whole pipelines on the real engine, with ends in memory.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod admin;
mod chain;
mod delivery;
mod failures;
mod keys;
mod overload;
mod rebalance;
mod remembering;
mod sink;
mod source;
mod wakes;
mod world;
