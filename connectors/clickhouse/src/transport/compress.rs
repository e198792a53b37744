//! ClickHouse's own lz4 framing, straight from the frames of a batch into one reused buffer.
//!
//! ```text
//! block:   CityHash128 of the rest (16) | 0x82 | compressed size + 9 (u32) | raw size (u32) | lz4
//! stream:  blocks one behind the other, read with `decompress=1`
//! ```
//!
//! A frame becomes a block, a large one several: nothing is joined before it is compressed. The
//! buffer's length is its high-water mark and never shrinks, so in steady state it is neither grown
//! nor cleared; it goes back to its [`Buffers`] when the last byte was written.
//!
//! Source: `src/Compression/CompressedWriteBuffer.cpp` and `CompressedReadBufferBase.cpp` of
//! ClickHouse; the checksum is CityHash 1.0.2, whose results later versions changed.

use std::sync::{Arc, Mutex, PoisonError};

use cityhash_rs::cityhash_102_128;
use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};
use spate_runtime::sink::SealedBatch;

/// Raw bytes of a block at most, as the server's own default.
const BLOCK_BYTES: usize = 1 << 20;
const CHECKSUM: usize = 16;
const HEADER: usize = CHECKSUM + 9;
const METHOD_LZ4: u8 = 0x82;

/// Buffers that wait for their next batch.
#[derive(Debug)]
pub(crate) struct Buffers {
    free: Mutex<Vec<Buffer>>,
    /// How many are kept: as many as batches are usually in flight.
    keep: usize,
}

struct Buffer {
    /// All initialised; how much of it is in use is told by [`Blocks`].
    bytes: Vec<u8>,
    table: CompressTable,
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({} bytes)", self.bytes.len())
    }
}

impl Buffers {
    pub(crate) fn new(keep: usize) -> Arc<Self> {
        Arc::new(Self { free: Mutex::default(), keep })
    }

    fn take(&self) -> Buffer {
        let free = self.lock().pop();
        free.unwrap_or_else(|| Buffer { bytes: Vec::new(), table: CompressTable::large() })
    }

    fn give(&self, buffer: Buffer) {
        let mut free = self.lock();
        if free.len() < self.keep {
            free.push(buffer);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Buffer>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A batch compressed, and how far it was sent.
#[derive(Debug)]
pub(crate) struct Blocks {
    /// `None` only while dropping.
    buffer: Option<Buffer>,
    used: usize,
    sent: usize,
    home: Arc<Buffers>,
}

impl Blocks {
    /// Compresses `batch`. Yields to other tasks after every block's worth of bytes.
    pub(crate) async fn compress(batch: &SealedBatch, home: &Arc<Buffers>) -> Self {
        let buffer = Some(home.take());
        let mut blocks = Self { buffer, used: 0, sent: 0, home: Arc::clone(home) };
        let mut since_yield = 0;
        for raw in batch.chunks().flat_map(|frame| frame.chunks(BLOCK_BYTES)) {
            if since_yield + raw.len() > BLOCK_BYTES {
                tokio::task::yield_now().await;
                since_yield = 0;
            }
            since_yield += raw.len();
            blocks.push(raw);
        }
        blocks
    }

    fn push(&mut self, raw: &[u8]) {
        let buffer = self.buffer.as_mut().expect("a buffer is there until drop");
        let most = self.used + HEADER + get_maximum_output_size(raw.len());
        if buffer.bytes.len() < most {
            buffer.bytes.resize(most, 0);
        }
        let block = &mut buffer.bytes[self.used..];
        let compressed = compress_into_with_table(raw, &mut block[HEADER..], &mut buffer.table)
            .expect("the room is lz4's own upper bound");
        let size = |len: usize| {
            u32::try_from(len)
                .expect("a block is at most 1 MiB")
                .to_le_bytes()
        };
        block[16] = METHOD_LZ4;
        block[17..21].copy_from_slice(&size(compressed + 9));
        block[21..25].copy_from_slice(&size(raw.len()));
        let end = HEADER + compressed;
        // The hash's upper half comes first.
        let checksum = cityhash_102_128(&block[CHECKSUM..end]).rotate_left(64);
        block[..CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
        self.used += end;
    }

    /// What is left to send.
    pub(crate) fn rest(&self) -> &[u8] {
        match &self.buffer {
            Some(buffer) => &buffer.bytes[self.sent..self.used],
            None => &[],
        }
    }

    pub(crate) fn advance(&mut self, bytes: usize) {
        self.sent += bytes;
        assert!(self.sent <= self.used, "sent {} of {} bytes", self.sent, self.used);
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.home.give(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn decompressed(mut stream: &[u8]) -> Vec<u8> {
        let mut raw = Vec::new();
        while !stream.is_empty() {
            let number =
                |at: usize| u32::from_le_bytes(stream[at..at + 4].try_into().unwrap()) as usize;
            assert_eq!(stream[16], METHOD_LZ4);
            let (end, raw_len) = (16 + number(17), number(21));
            let checksum = cityhash_102_128(&stream[16..end]);
            let high = u64::try_from(checksum >> 64).unwrap();
            assert_eq!(stream[..8], high.to_le_bytes());
            raw.extend(lz4_flex::block::decompress(&stream[25..end], raw_len).unwrap());
            stream = &stream[end..];
        }
        raw
    }

    #[tokio::test]
    async fn blocks_read_back_and_the_buffer_is_used_again() {
        let buffers = Buffers::new(1);
        let long: Vec<u8> = (0..3_000_000u32)
            .flat_map(|n| (n / 7).to_le_bytes())
            .collect();
        for frames in
            [vec![&b"abc"[..]], vec![&long[..], b"tail"], vec![&long[..100], &long[..70_000]]]
        {
            let batch = testing::batch(&frames);
            let blocks = Blocks::compress(&batch, &buffers).await;
            assert_eq!(decompressed(blocks.rest()), frames.concat());
        }
        assert_eq!(buffers.lock().len(), 1);
    }
}
