//! Streams into warehouses: a pipeline is a Rust module.
