//! Sealed batches with bytes of a test's choosing.

#[path = "../tests/support/batch.rs"]
mod lane;

use std::sync::Arc;

use spate_runtime::chain::row::{Column, EncodeError, Row, ValueEncoder};
use spate_runtime::sink::SealedBatch;

use crate::RowBinary;
use lane::Lane;

/// A row that is its own encoding.
struct Encoded<'a>(&'a [u8]);

impl Row for Encoded<'_> {
    const NAME: &'static str = "Encoded";
    const COLUMNS: &'static [Column] = &[];

    fn binary_bound(&self) -> usize {
        self.0.len()
    }

    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        encoder.fixed_bytes(self.0)
    }
}

/// A batch of frames with exactly these bytes.
pub(crate) fn batch(frames: &[&[u8]]) -> Arc<SealedBatch> {
    let mut lane = Lane::<RowBinary>::new();
    for frame in frames {
        lane.frame([Encoded(frame)]);
    }
    lane.seal("token")
}
