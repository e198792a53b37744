//! Metrics: their names, and the handles that are set from snapshots.
//!
//! Lane threads count in plain integers and know nothing of this. Once a second, and when somebody
//! scrapes, one thread reads a [`Snapshot`](crate::pipeline::report::Snapshot) and sets handles
//! that were registered when the pipeline was built, so the number of series is fixed by the
//! graph. What is known per partition is written from the snapshot into the scraped text only:
//! it is there while the lane lives and gone with it. So are histograms, which the facade cannot
//! set from counts.
//!
//! Source: field reports R125, R126, R127, R129.

mod handles;
pub mod names;
mod scrape;

pub use handles::Metrics;
pub use scrape::write_scraped;
