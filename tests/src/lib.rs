//! Whole pipelines, real servers, crashes and rebalances.
