//! Batches as files: whole, once, and whatever the token looks like.

use std::fs;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use spate_runtime::chain::pool::Pool;
use spate_runtime::chain::port::{Port, Route, SinkShared};
use spate_runtime::chain::row::{Column, DataType, EncodeError, Row, ValueEncoder};
use spate_runtime::clock::Clock;
use spate_runtime::error::Class;
use spate_runtime::id::{Epoch, NextOffset, Offset, Partition, SinkId};
use spate_runtime::lane::shared::LaneShared;
use spate_runtime::ledger::Incarnation;
use spate_runtime::queue::{Parker, ShardQueue};

use super::*;
use crate::ndjson::Ndjson;
use crate::testing::TempDir;

struct Line(u64);

const COLUMN: Column = Column { name: "id", rust_type: "u64", data_type: DataType::UInt64 };

impl Row for Line {
    const NAME: &'static str = "Line";
    const COLUMNS: &'static [Column] = &[COLUMN];

    fn binary_bound(&self) -> usize {
        8
    }

    fn encode<E: ValueEncoder>(&self, e: &mut E) -> Result<(), EncodeError> {
        e.field(&COLUMN)?;
        e.u64(self.0)
    }
}

/// A sealed batch of two frames, as a lane and the batcher make it.
fn batch(token: &str, ids: &[u64]) -> Arc<SealedBatch> {
    let queue = ShardQueue::new(8);
    let shared = SinkShared {
        sink: SinkId(0),
        name: "lines",
        queues: vec![Arc::clone(&queue)],
        route: Route::Key,
        frame_bytes: 1 << 20,
        linger: Duration::ZERO,
        by_lane: true,
        pool: Pool::new(1 << 20),
        pushed: AtomicU64::new(0),
        cut: AtomicU64::new(0),
        abandoned: AtomicU64::new(0),
        durable: AtomicU64::new(0),
    };
    let lane =
        LaneShared::new(Partition::new("orders", 0), Epoch(1), Incarnation(1), NextOffset(0));
    let parker = Parker::new();
    let mut port =
        Port::<Ndjson>::new(shared.into(), lane.into(), parker.slot(), Clock::manual().now());
    for part in ids.chunks(ids.len().div_ceil(2).max(1)) {
        for &id in part {
            port.push(&Line(id), Offset(id), |_| 0);
        }
        port.core_mut().hand_over_all();
    }
    let frames = std::iter::from_fn(|| queue.try_recv()).collect();
    Arc::new(SealedBatch::new(frames, token.to_owned()))
}

fn run<T>(future: BoxFuture<'_, T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(future)
}

fn write(sink: &FileSink, batch: Arc<SealedBatch>) -> Result<(), WriteError> {
    run(sink.write(ShardId(0), ReplicaId(0), batch))
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_batch_becomes_one_file_named_by_its_token() {
    let dir = TempDir::new();
    let sink = FileSink::new(dir.path().join("deep/er"));
    write(&sink, batch("orders-0-1-9", &[1, 2, 3])).unwrap();
    let dir = dir.path().join("deep/er");
    assert_eq!(names(&dir), ["orders-0-1-9.ndjson"]);
    let text = fs::read_to_string(dir.join("orders-0-1-9.ndjson")).unwrap();
    assert_eq!(text, "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n");
}

#[test]
fn a_name_that_is_there_counts_as_written() {
    let dir = TempDir::new();
    let sink = FileSink::new(dir.path().to_owned());
    for _ in 0..3 {
        write(&sink, batch("t", &[1])).unwrap();
    }
    write(&sink, batch("t", &[2])).unwrap();
    assert_eq!(names(dir.path()), ["t.ndjson"]);
    assert_eq!(fs::read_to_string(dir.path().join("t.ndjson")).unwrap(), "{\"id\":1}\n");
}

#[test]
fn any_token_has_a_name_of_its_own() {
    let long = "x".repeat(5000);
    let tokens =
        ["plain-1_2.3", "a/b", "a_b", "a/c", "..", ".hidden", "ä", "", &long, &long[1..], "a b"];
    let mut names: Vec<String> = tokens.iter().map(|token| file_name(token)).collect();
    assert_eq!(names[0], "plain-1_2.3.ndjson");
    for name in &names {
        assert!(name.len() <= NAME_MAX + 8, "{name}");
        assert!(!name.contains('/') && !name.starts_with('.'), "{name}");
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), tokens.len());
}

#[test]
fn a_file_in_place_of_the_folder_stops_with_its_name() {
    let dir = TempDir::new();
    let path = dir.path().join("taken");
    fs::write(&path, "").unwrap();
    let sink = FileSink::new(path.clone());
    let error = write(&sink, batch("t", &[1])).unwrap_err();
    assert_eq!((error.class, error.outcome), (Class::Config, Outcome::NotWritten));
    assert!(error.text.contains(&path.display().to_string()), "{}", error.text);
    assert!(run(sink.check()).has_errors());
    assert!(run(sink.probe(ShardId(0), ReplicaId(0))).is_err());
}

#[test]
fn the_check_makes_the_folder_and_leaves_nothing_in_it() {
    let dir = TempDir::new();
    let sink = FileSink::new(dir.path().join("out"));
    assert_eq!(run(sink.check()), Findings::default());
    assert_eq!(names(&dir.path().join("out")), [""; 0]);
}

#[test]
fn the_check_warns_of_what_a_crash_left() {
    let dir = TempDir::new();
    fs::write(dir.path().join(".t.ndjson.1-0.tmp"), "{\"id\"").unwrap();
    let findings = run(FileSink::new(dir.path().to_owned()).check());
    assert_eq!(findings.0.len(), 1);
    assert!(!findings.has_errors());
    assert!(findings.0[0].text.ends_with("holds 1 unfinished files"), "{}", findings.0[0].text);
}

#[test]
fn a_sink_of_the_command_line_has_a_folder_of_its_name() {
    let dir = TempDir::new();
    let sink = open_sink(dir.path(), "lines");
    run(sink.write(ShardId(0), ReplicaId(0), batch("t", &[7]))).unwrap();
    assert_eq!(names(&dir.path().join("lines")), ["t.ndjson"]);
}
