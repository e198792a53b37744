//! A naive twin of the ledger.
