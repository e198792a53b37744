//! Snapshots, readers and loads, on a runtime without a clock.

use std::sync::Arc as StdArc;
use std::sync::atomic::{AtomicU64, Ordering as Order};
use std::time::Duration;

use super::*;
use crate::clock::Clock;
use crate::config::Config;
use crate::sync::Ordering;

fn cell_of(value: u32, clock: &Clock) -> StdArc<LookupCell<u32, u32>> {
    let cell = StdArc::new(LookupCell::default());
    cell.store([(1, value)].into(), clock.now());
    cell
}

/// Holds INV-L6.
#[test]
fn a_reader_sees_a_new_snapshot_at_its_next_batch_and_none_before() {
    let clock = Clock::manual();
    let cell = cell_of(10, &clock);
    let mut reader = LookupReader::new(StdArc::clone(&cell));
    let batch = reader.current();
    cell.store([(1, 20)].into(), clock.now());
    assert_eq!(batch.get(&1), Some(&10), "the batch in hand goes on with what it began with");
    assert_eq!(reader.current().get(&1), Some(&20));
}

#[test]
fn a_snapshot_that_a_lane_reads_is_freed_by_a_later_store_and_not_by_the_lane() {
    let clock = Clock::manual();
    let cell = cell_of(1, &clock);
    let mut reader = LookupReader::new(StdArc::clone(&cell));
    for value in 2..5 {
        cell.store([(1, value)].into(), clock.now());
    }
    assert_eq!(cell.held(), 2, "the newest, and the one that is read");
    reader.current();
    assert_eq!(cell.held(), 2, "the lane freed nothing");
    cell.store([(1, 5)].into(), clock.now());
    assert_eq!(cell.held(), 2, "what it read last, and the newest");
    drop(reader);
    cell.store([(1, 6)].into(), clock.now());
    assert_eq!(cell.held(), 1);
}

/// What the loader of these tests does at its next calls.
static CALLS: AtomicU64 = AtomicU64::new(0);

async fn every_other_time() -> Result<Lookup<u32, u64>, String> {
    match CALLS.fetch_add(1, Order::SeqCst) {
        call if call.is_multiple_of(2) => Ok([(1, call)].into()),
        3 => panic!("call 3"),
        call => Err(format!("call {call}")),
    }
}

fn paused() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without I/O can be made")
}

#[test]
fn a_failed_refresh_keeps_the_snapshot_and_counts_and_a_panic_is_one() {
    let (io, clock) = (paused(), Clock::manual());
    let every = Duration::from_secs(5);
    let loader =
        Loader::new("prices", every, &Config::empty(), |_| Loading::of_future(every_other_time()));
    let cell = StdArc::clone(&loader.cell);
    let shows = |loads: u64, failures: u64, trouble: Option<&str>| {
        let status = cell.status();
        assert_eq!(status.loads.load(Ordering::Relaxed), loads);
        assert_eq!(status.failures.load(Ordering::Relaxed), failures);
        assert_eq!(status.last.lock().trouble.as_deref(), trouble);
        assert_eq!(status.entries.load(Ordering::Relaxed), 1);
    };
    io.block_on(load_once(&loader, &clock)).unwrap();
    shows(1, 0, None);
    let typed = StdArc::clone(&cell).into_any().downcast().unwrap();
    let mut reader = LookupReader::<u32, u64>::new(typed);
    io.spawn(refresh(loader, clock));
    let turn = || {
        io.block_on(async {
            tokio::time::sleep(every + Duration::from_millis(1)).await;
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
        });
    };
    turn();
    shows(1, 1, Some("call 1"));
    assert_eq!(reader.current().get(&1), Some(&0), "the old one stays");
    turn();
    shows(2, 1, None);
    assert_eq!(reader.current().get(&1), Some(&2));
    turn();
    shows(2, 2, Some("its loader panicked"));
    assert_eq!(reader.current().get(&1), Some(&2));
}

#[test]
fn a_plain_function_may_block() {
    let io = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let every = Duration::from_secs(5);
    let loader = Loader::new("prices", every, &Config::empty(), |config| {
        let config = config.clone();
        Loading::of_function(move || Lookup::from([(config.file().len(), 1)]))
    });
    io.block_on(load_once(&loader, &Clock::manual())).unwrap();
    assert!(loader.is_loaded());
}
