//! Bodies of requests: a sealed batch as it lies in its frames, its compressed blocks, or a text.
//!
//! One body is one [`Chunk`]. hyper asks it for many slices at once and hands them to `writev`, so
//! the frames of a batch reach the socket without being joined or copied.

use std::convert::Infallible;
use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::{Body, Buf, Bytes, Frame, SizeHint};
use spate_runtime::sink::SealedBatch;

use super::compress::Blocks;

/// What is sent, front to back.
#[derive(Debug)]
pub(crate) enum Chunk {
    Text(Bytes),
    Frames(Frames),
    Blocks(Blocks),
}

impl Buf for Chunk {
    fn remaining(&self) -> usize {
        match self {
            Self::Text(text) => text.remaining(),
            Self::Frames(frames) => frames.left,
            Self::Blocks(blocks) => blocks.left(),
        }
    }

    fn chunk(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.chunk(),
            Self::Frames(frames) => frames.slices().next().unwrap_or_default(),
            Self::Blocks(blocks) => blocks.slices().next().unwrap_or_default(),
        }
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        match self {
            Self::Text(text) => text.chunks_vectored(slices),
            Self::Frames(frames) => fill(slices, frames.slices()),
            Self::Blocks(blocks) => fill(slices, blocks.slices()),
        }
    }

    fn advance(&mut self, bytes: usize) {
        match self {
            Self::Text(text) => text.advance(bytes),
            Self::Frames(frames) => frames.advance(bytes),
            Self::Blocks(blocks) => blocks.advance(bytes),
        }
    }
}

/// Puts as many of `pieces` into `slices` as fit; how many.
fn fill<'a>(slices: &mut [IoSlice<'a>], pieces: impl Iterator<Item = &'a [u8]>) -> usize {
    let mut len = 0;
    for (slice, bytes) in slices.iter_mut().zip(pieces) {
        *slice = IoSlice::new(bytes);
        len += 1;
    }
    len
}

/// The frames of a batch and how far they were sent.
#[derive(Debug)]
pub(crate) struct Frames {
    batch: Arc<SealedBatch>,
    /// The first frame not sent whole, and how much of it was sent.
    frame: usize,
    sent: usize,
    /// Bytes not sent yet.
    left: usize,
}

impl Frames {
    pub(crate) fn new(batch: Arc<SealedBatch>) -> Self {
        let left = batch.chunks().map(<[u8]>::len).sum();
        Self { batch, frame: 0, sent: 0, left }
    }

    /// What is left to send, without empty slices.
    fn slices(&self) -> impl Iterator<Item = &[u8]> {
        let mut sent = self.sent;
        self.batch
            .frames()
            .iter()
            .skip(self.frame)
            .map(move |frame| &frame.bytes()[std::mem::take(&mut sent)..])
            .filter(|bytes| !bytes.is_empty())
    }

    fn advance(&mut self, bytes: usize) {
        assert!(bytes <= self.left, "sent {bytes} of {} bytes", self.left);
        self.left -= bytes;
        self.sent += bytes;
        while let Some(frame) = self.batch.frames().get(self.frame)
            && self.sent >= frame.bytes().len()
        {
            self.sent -= frame.bytes().len();
            self.frame += 1;
        }
    }
}

/// A body of known length.
#[derive(Debug)]
pub(crate) struct RequestBody(Option<Chunk>);

impl RequestBody {
    pub(crate) fn new(chunk: Chunk) -> Self {
        Self(Some(chunk).filter(Buf::has_remaining))
    }
}

impl Body for RequestBody {
    type Data = Chunk;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Chunk>, Infallible>>> {
        Poll::Ready(self.0.take().map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        let left = self.0.as_ref().map_or(0, Buf::remaining);
        SizeHint::with_exact(left as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn frames_are_sent_whole_in_steps_of_any_size() {
        let batch = testing::batch(&[b"abc", b"d", b"efghij"]);
        for step in 1..=10 {
            let mut chunk = Chunk::Frames(Frames::new(Arc::clone(&batch)));
            let mut sent = Vec::new();
            while chunk.has_remaining() {
                let mut slices = [IoSlice::new(&[]); 2];
                let len = chunk.chunks_vectored(&mut slices);
                assert!(len > 0 && !slices[0].is_empty());
                assert_eq!(chunk.chunk(), &*slices[0]);
                let joined: Vec<u8> = slices[..len]
                    .iter()
                    .flat_map(|slice| slice.to_vec())
                    .collect();
                let now = step.min(joined.len());
                sent.extend_from_slice(&joined[..now]);
                chunk.advance(now);
            }
            assert_eq!(sent, b"abcdefghij");
        }
    }

    #[test]
    fn an_empty_body_ends_at_once() {
        let body = RequestBody::new(Chunk::Text(Bytes::new()));
        assert!(body.is_end_stream());
        assert_eq!(body.size_hint().exact(), Some(0));
    }
}
