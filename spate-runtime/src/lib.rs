//! The engine behind spate: lanes, frames, ledger, batcher, commits.
