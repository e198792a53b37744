//! A deterministic generator of orders for examples and tests.
