//! The workloads, their hand-written twins, and what both cost.
//!
//! `cargo run --release -p spate-benches` runs every workload alternately with its twins and prints
//! the ratios; `-- --help` says what else there is. To add a workload, write its file with a
//! [`Workload`](workload::Workload) and enter it in [`workload::TABLE`].

pub mod arena;
pub mod compare;
pub mod counted;
pub mod counts;
pub mod cpu;
pub mod engine;
pub mod latency;
pub mod profile;
pub mod spate_side;
pub mod sum;
pub mod sweep;
pub mod w1;
pub mod w2;
pub mod w3;
pub mod w5;
pub mod w6;
pub mod workload;
