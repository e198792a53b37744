//! JSON records for spate, borrowed from the payload.
