//! The workloads, their hand-written twins, and what both cost.
//!
//! `cargo run --release -p spate-benches` runs every workload alternately with its twin and prints
//! the ratios; `-- count W2 spate 100000` runs one side once, for an instruction counter.

pub mod arena;
pub mod ledger;
pub mod spate_side;
pub mod sum;
pub mod w1;
pub mod w2;
