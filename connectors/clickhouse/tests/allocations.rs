//! How often the write of one sealed batch allocates, in steady state: a stated number, whatever
//! the batch holds. A test binary of its own, because the allocator is the whole program's.

#![expect(unsafe_code, reason = "an allocator is unsafe to implement; this one only counts")]

#[path = "support/batch.rs"]
mod batch;
#[path = "support/rows.rs"]
mod rows;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use spate_clickhouse::{ClickHouse, RowBinary};
use spate_runtime::config::Section;
use spate_runtime::id::{ReplicaId, ShardId};
use spate_runtime::sink::{SealedBatch, Sink, SinkConnector};

use batch::Lane;
use rows::row;

/// What a write of one batch may allocate (the future the trait returns, the token, the target, the
/// headers, hyper's request and answer), compressed or not.
const PER_BATCH: u64 = 17;

/// An answer with everything that ClickHouse 25 says after an insert.
const ANSWER: &str = "HTTP/1.1 200 OK\r\n\
    Date: Tue, 01 Dec 2026 10:00:00 GMT\r\n\
    Connection: Keep-Alive\r\n\
    Content-Type: text/plain; charset=UTF-8\r\n\
    X-ClickHouse-Server-Display-Name: ch1\r\n\
    Transfer-Encoding: chunked\r\n\
    X-ClickHouse-Query-Id: 2b6a3d0c-2f0a-4c55-a7cf-3f5d0a1b2c3d\r\n\
    X-ClickHouse-Timezone: UTC\r\n\
    Keep-Alive: timeout=10, max=9999\r\n\
    X-ClickHouse-Summary: {\"read_rows\":\"0\",\"written_rows\":\"10\"}\r\n\r\n\
    0\r\n\r\n";

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting allocations and reallocations of the calling thread.
struct Counting;

// SAFETY: every call is passed on to `System` unchanged, which upholds the contract; counting in a
// constant-initialised thread-local without a destructor allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's contract is `System`'s.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's contract is `System`'s.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

row! { Pair { id: u64 = "id", name: String = "name" } }

fn batch(lane: &mut Lane<RowBinary>, token: u64, frames: u64, rows: u64) -> Arc<SealedBatch> {
    for frame in 0..frames {
        lane.frame((0..rows).map(|row| Pair { id: frame + row, name: format!("name {row}") }));
    }
    lane.seal(&format!("pipeline-sink-0-topic-0-{token}"))
}

/// A server that takes everything on one connection; its address.
fn server() -> std::io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || -> std::io::Result<()> {
        let (mut socket, _) = listener.accept()?;
        let mut reader = BufReader::new(socket.try_clone()?);
        let (mut line, mut length) = (String::new(), 0);
        while reader.read_line(&mut line)? > 0 {
            let value = line.to_ascii_lowercase();
            if let Some(value) = value.strip_prefix("content-length: ") {
                length = value.trim().parse().expect("a length is a number");
            }
            if line == "\r\n" {
                std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink())?;
                socket.write_all(ANSWER.as_bytes())?;
            }
            line.clear();
        }
        Ok(())
    });
    Ok(format!("http://{address}"))
}

fn sink(url: &str, compression: &str) -> Arc<dyn Sink> {
    let yaml =
        format!("url: {url}\ntable: t\nuser: me\npassword: secret\ncompression: {compression}");
    let section = Section::for_test(ClickHouse::<Pair>::SCHEMA, &yaml).expect("the keys are known");
    ClickHouse::<Pair>::from_section(&section)
        .expect("the values are valid")
        .into_sink()
}

#[tokio::test]
async fn a_write_allocates_a_stated_number_of_times() {
    for compression in ["none", "lz4"] {
        let url = server().expect("loopback has a free port");
        let sink = sink(&url, compression);
        for (frames, rows) in [(1, 10), (64, 10), (8, 10_000)] {
            // One lane, so that frames come from a pool that is warm, as in a pipeline.
            let mut lane = Lane::new();
            let mut counts = Vec::new();
            for token in 0..8 {
                let batch = batch(&mut lane, token, frames, rows);
                let before = ALLOCATIONS.get();
                sink.write(ShardId(0), ReplicaId(0), batch)
                    .await
                    .expect("the server takes everything");
                counts.push(ALLOCATIONS.get() - before);
            }
            // The first ones connect and grow the buffers that are used again.
            let steady = &counts[3..];
            assert!(
                steady.iter().all(|count| *count == PER_BATCH),
                "{compression}, {frames} frames of {rows} rows: {counts:?}"
            );
        }
    }
}
