//! The sealed batch: frames merged for one write, the unit of write, retry and deduplication token.

use crate::chain::frame::Frame;
use crate::chain::frame_buf::FrameBuf;

/// Frames merged for one write. Immutable: every retry sends the same bytes and the same token.
#[derive(Debug)]
pub struct SealedBatch {
    frames: Vec<Frame>,
    token: String,
    rows: u64,
    bytes: u64,
}

impl SealedBatch {
    /// Seals `frames` under `token`.
    #[must_use]
    pub fn new(frames: Vec<Frame>, token: String) -> Self {
        let rows = frames.iter().map(|frame| u64::from(frame.rows())).sum();
        let bytes = frames.iter().map(|frame| frame.bytes().len() as u64).sum();
        Self { frames, token, rows, bytes }
    }

    /// The frames in the order their rows are to be written.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The encoded rows, a slice per frame: to be sent vectored, not joined.
    pub fn chunks(&self) -> impl ExactSizeIterator<Item = &[u8]> + Clone {
        self.frames.iter().map(Frame::bytes)
    }

    /// The deduplication token: ASCII, safe in a file name, stable across retries.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Rows in all frames.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// Encoded bytes in all frames, before compression.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// An empty buffer of the memory and the budget that the frames have theirs of, for what a sink
    /// makes of them; its first byte takes room for `room` bytes if the budget has that.
    ///
    /// # Panics
    ///
    /// If the batch has no frame; none is sealed without.
    #[must_use]
    pub fn buffer(&self, room: usize) -> FrameBuf {
        let frame = self.frames.first().expect("a batch has a frame");
        frame.buf.next(room)
    }

    /// Takes the frames out again.
    #[must_use]
    pub fn into_frames(self) -> Vec<Frame> {
        self.frames
    }
}
