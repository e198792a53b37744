//! ClickHouse's own lz4 framing, from the frames of a batch into memory of the same budget.
//!
//! ```text
//! block:   CityHash128 of the rest (16) | 0x82 | compressed size + 9 (u32) | raw size (u32) | lz4
//! stream:  blocks one behind the other, read with `decompress=1`
//! ```
//!
//! A frame becomes a block, a large one several: nothing is joined before it is compressed. A block
//! is made in a workspace of at most one block, which is used again, and then appended to memory
//! from the pool that the frames came from. So what a batch takes a second time, compressed, is
//! counted against the budget and kept by the pool.
//!
//! Source: `src/Compression/CompressedWriteBuffer.cpp` and `CompressedReadBufferBase.cpp` of
//! ClickHouse; the checksum is CityHash 1.0.2, whose results later versions changed.

use std::sync::{Arc, Mutex, PoisonError};

use cityhash_rs::cityhash_102_128;
use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};
use spate_runtime::chain::frame_buf::FrameBuf;
use spate_runtime::sink::SealedBatch;

/// Raw bytes of a block at most, as the server's own default.
const BLOCK_BYTES: usize = 1 << 20;
const CHECKSUM: usize = 16;
const HEADER: usize = CHECKSUM + 9;
const METHOD_LZ4: u8 = 0x82;

/// Compressed bytes that lie in one piece: a class of the pool.
const CHUNK: usize = 1 << 20;

/// Workspaces that wait for their next batch.
#[derive(Debug)]
pub(crate) struct Workspaces {
    free: Mutex<Vec<Workspace>>,
    /// How many are kept: as many as batches are usually in flight.
    keep: usize,
}

/// What making blocks takes: at most a block, and lz4's table.
struct Workspace {
    /// One block; its length is its high-water mark and never shrinks.
    block: Vec<u8>,
    table: CompressTable,
    /// Empty; kept for its room.
    chunks: Vec<FrameBuf>,
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Workspace({} bytes)", self.block.len())
    }
}

impl Workspaces {
    pub(crate) fn new(keep: usize) -> Arc<Self> {
        Arc::new(Self { free: Mutex::default(), keep })
    }

    fn take(&self) -> Workspace {
        let free = self.lock().pop();
        free.unwrap_or_else(|| Workspace {
            block: Vec::new(),
            table: CompressTable::large(),
            chunks: Vec::new(),
        })
    }

    fn give(&self, workspace: Workspace) {
        let mut free = self.lock();
        if free.len() < self.keep {
            free.push(workspace);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Workspace>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Workspace {
    /// Makes the block of `raw`; how long it is.
    fn make_block(&mut self, raw: &[u8]) -> usize {
        let most = HEADER + get_maximum_output_size(raw.len());
        if self.block.len() < most {
            self.block.resize(most, 0);
        }
        let block = &mut self.block[..];
        let compressed = compress_into_with_table(raw, &mut block[HEADER..], &mut self.table)
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
        end
    }
}

/// A batch compressed, and how far it was sent.
#[derive(Debug)]
pub(crate) struct Blocks {
    /// The compressed bytes, in pieces of [`CHUNK`].
    chunks: Vec<FrameBuf>,
    /// The first piece not sent whole, and how much of it was sent.
    chunk: usize,
    sent: usize,
    /// Bytes not sent yet.
    left: usize,
    /// `None` only while dropping.
    workspace: Option<Workspace>,
    home: Arc<Workspaces>,
}

impl Blocks {
    /// Compresses `batch`. Yields to other tasks after every block's worth of bytes.
    pub(crate) async fn compress(batch: &SealedBatch, home: &Arc<Workspaces>) -> Self {
        let mut workspace = home.take();
        let chunks = std::mem::take(&mut workspace.chunks);
        let workspace = Some(workspace);
        let mut blocks =
            Self { chunks, chunk: 0, sent: 0, left: 0, workspace, home: Arc::clone(home) };
        let mut since_yield = 0;
        for raw in batch.chunks().flat_map(|frame| frame.chunks(BLOCK_BYTES)) {
            if since_yield + raw.len() > BLOCK_BYTES {
                tokio::task::yield_now().await;
                since_yield = 0;
            }
            since_yield += raw.len();
            blocks.push(raw, batch);
        }
        blocks
    }

    fn push(&mut self, raw: &[u8], batch: &SealedBatch) {
        let workspace = self.workspace.as_mut().expect("is there until drop");
        let end = workspace.make_block(raw);
        let mut block = &workspace.block[..end];
        self.left += end;
        while !block.is_empty() {
            let room = self.chunks.last().map_or(0, |chunk| CHUNK - chunk.len());
            if room == 0 {
                let most = usize::try_from(batch.bytes()).unwrap_or(CHUNK);
                self.chunks.push(batch.buffer(CHUNK.min(most)));
                continue;
            }
            let (now, later) = block.split_at(room.min(block.len()));
            if let Some(chunk) = self.chunks.last_mut() {
                chunk.extend(now);
            }
            block = later;
        }
    }

    /// Bytes left to send.
    pub(crate) const fn left(&self) -> usize {
        self.left
    }

    /// What is left to send, without empty slices.
    pub(crate) fn slices(&self) -> impl Iterator<Item = &[u8]> {
        let mut sent = self.sent;
        self.chunks
            .iter()
            .skip(self.chunk)
            .map(move |chunk| &chunk.as_slice()[std::mem::take(&mut sent)..])
            .filter(|bytes| !bytes.is_empty())
    }

    pub(crate) fn advance(&mut self, bytes: usize) {
        assert!(bytes <= self.left, "sent {bytes} of {} bytes", self.left);
        self.left -= bytes;
        self.sent += bytes;
        while let Some(chunk) = self.chunks.get(self.chunk)
            && self.sent >= chunk.len()
        {
            self.sent -= chunk.len();
            self.chunk += 1;
        }
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        if let Some(mut workspace) = self.workspace.take() {
            // Their memory goes back to the pool now.
            self.chunks.clear();
            workspace.chunks = std::mem::take(&mut self.chunks);
            self.home.give(workspace);
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
    async fn blocks_read_back_and_the_workspace_is_used_again() {
        let workspaces = Workspaces::new(1);
        let long: Vec<u8> = (0..3_000_000u32)
            .flat_map(|n| (n / 7).to_le_bytes())
            .collect();
        for frames in
            [vec![&b"abc"[..]], vec![&long[..], b"tail"], vec![&long[..100], &long[..70_000]]]
        {
            let batch = testing::batch(&frames);
            let blocks = Blocks::compress(&batch, &workspaces).await;
            let stream: Vec<u8> = blocks.slices().flatten().copied().collect();
            assert_eq!(stream.len(), blocks.left());
            assert_eq!(decompressed(&stream), frames.concat());
        }
        assert_eq!(workspaces.lock().len(), 1);
        let largest = workspaces.lock().iter().map(|kept| kept.block.len()).max();
        assert!(largest < Some(BLOCK_BYTES / 8 * 9), "{largest:?} bytes are kept");
    }
}
