//! A deterministic generator of orders, and a source that needs no server.
//!
//! Record `i` is a pure function of the settings and `i`: no clock, no shared state, the same on
//! every machine. Among the orders are poison records, tombstones, empty values and duplicates at
//! given rates, and [`Expected`] says exactly how many of each, and what the rest sums to.
//!
//! ```
//! use spate_datagen::{Expected, Orders, Settings};
//!
//! let settings = Settings { records: Some(1000), partitions: 4, seed: 1, ..Settings::default() };
//! let mut orders = Orders::new(&settings);
//! let mut value = Vec::new();
//! let mut tombstones = 0;
//! while let Some(head) = orders.next_into(&mut value) {
//!     tombstones += u64::from(head.is_tombstone());
//! }
//! assert_eq!(tombstones, Expected::of(&settings).tombstones);
//! ```
//!
//! As a source it is declared like any other and gives every partition a lane:
//!
//! ```yaml
//! events:
//!   records: 1000      # left out: endless
//!   partitions: 4
//!   seed: 1
//! ```
//!
//! Its positions live in memory only: a program that is started again begins at the first record.

mod expected;
mod order;
mod rng;
mod source;

pub use expected::Expected;
pub use order::{Customer, Fate, Head, Key, Kind, Order, Orders, Poison, Record, Settings, Shape};
pub use source::Datagen;
