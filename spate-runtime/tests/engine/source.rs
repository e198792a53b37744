//! A source in memory: logs that tests append to, assign, revoke and look at.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use spate_runtime::batch::{Batch, Payload, PayloadSlots};
use spate_runtime::error::{Class, SourceError};
use spate_runtime::id::{NextOffset, Offset, Partition};
use spate_runtime::lane::source::{
    Assigned, Commit, Filled, Lane, LaneWaker, LogEnd, Source, SourceEvent,
};
use spate_runtime::preflight::Findings;

/// One partition's log: offset and value, in order.
type Log = Vec<(u64, Vec<u8>)>;

#[derive(Default)]
pub(crate) struct State {
    pub(crate) logs: BTreeMap<u32, Log>,
    pub(crate) wakers: BTreeMap<u32, LaneWaker>,
    pub(crate) events: VecDeque<Event>,
    pub(crate) committed: BTreeMap<u32, Commit>,
    pub(crate) commits: Vec<Vec<Commit>>,
    /// Answers for the next commits; empty means accepted.
    pub(crate) refuse_commits: VecDeque<Class>,
    pub(crate) released: Vec<Partition>,
    pub(crate) paused: Vec<(Partition, bool)>,
    pub(crate) live_lanes: usize,
    pub(crate) ended: bool,
    pub(crate) closed: bool,
}

pub(crate) enum Event {
    Assign(Vec<u32>),
    Revoke(Vec<u32>),
    Lose(Vec<u32>),
    End,
}

/// The world's side of the source.
#[derive(Clone, Default)]
pub(crate) struct Logs(Arc<(Mutex<State>, Condvar)>);

impl Logs {
    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        let (state, changed) = &*self.0;
        let result = look(&mut state.lock().unwrap());
        changed.notify_all();
        result
    }

    /// Waits for a state, looked at after every change.
    pub(crate) fn wait(&self, what: &str, is: impl Fn(&State) -> bool) {
        let (state, changed) = &*self.0;
        let guard = state.lock().unwrap();
        let limit = Duration::from_secs(30);
        let (_guard, timeout) = changed
            .wait_timeout_while(guard, limit, |state| !is(state))
            .unwrap();
        assert!(!timeout.timed_out(), "gave up waiting for {what}");
    }

    pub(crate) fn append(&self, partition: u32, values: impl IntoIterator<Item = u64>) {
        let waker = self.with(|state| {
            let log = state.logs.entry(partition).or_default();
            let next = log.last().map_or(0, |(offset, _)| offset + 1);
            for (offset, value) in (next..).zip(values) {
                log.push((offset, value.to_le_bytes().to_vec()));
            }
            state.wakers.get(&partition).cloned()
        });
        if let Some(waker) = waker {
            waker();
        }
    }

    pub(crate) fn tell(&self, event: Event) {
        self.with(|state| state.events.push_back(event));
    }

    /// Says that no lane gets anything further; lanes end where their log does.
    pub(crate) fn end(&self) {
        let wakers: Vec<LaneWaker> = self.with(|state| {
            state.ended = true;
            state.events.push_back(Event::End);
            state.wakers.values().cloned().collect()
        });
        wakers.iter().for_each(|waker| waker());
    }

    pub(crate) fn committed(&self, partition: u32) -> Option<u64> {
        self.with(|state| {
            state
                .committed
                .get(&partition)
                .map(|commit| commit.watermark.0)
        })
    }
}

pub(crate) fn partition(id: u32) -> Partition {
    Partition::new("numbers", id)
}

pub(crate) struct MemorySource(pub(crate) Logs);

impl Source for MemorySource {
    fn check(&mut self) -> Findings {
        Findings::default()
    }

    fn start(&mut self) -> Result<(), SourceError> {
        Ok(())
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<SourceEvent>, SourceError> {
        let (state, changed) = &*self.0.0;
        let guard = state.lock().unwrap();
        let (mut state, _) = changed
            .wait_timeout_while(guard, wait, |state| state.events.is_empty())
            .unwrap();
        let partitions = |ids: &[u32]| ids.iter().copied().map(partition).collect();
        Ok(state.events.pop_front().map(|event| match event {
            Event::Assign(ids) => {
                state.live_lanes += ids.len();
                SourceEvent::Assigned(ids.iter().map(|id| assign(&state, *id, &self.0)).collect())
            }
            Event::Revoke(ids) => SourceEvent::Revoked(partitions(&ids)),
            Event::Lose(ids) => SourceEvent::Lost(partitions(&ids)),
            Event::End => SourceEvent::Ended,
        }))
    }

    fn commit(&mut self, commits: &[Commit]) -> Result<(), SourceError> {
        self.0.with(|state| {
            if let Some(class) = state.refuse_commits.pop_front() {
                return Err(SourceError::new(class, "commit refused by the test"));
            }
            for commit in commits {
                state.committed.insert(commit.partition.id, commit.clone());
            }
            state.commits.push(commits.to_vec());
            Ok(())
        })
    }

    fn released(&mut self, partitions: &[Partition]) {
        self.0
            .with(|state| state.released.extend_from_slice(partitions));
    }

    fn set_paused(&mut self, partition: &Partition, paused: bool) {
        self.0
            .with(|state| state.paused.push((partition.clone(), paused)));
    }

    fn log_ends(&mut self) -> Vec<LogEnd> {
        self.0.with(|state| {
            let end = |log: &Log| log.last().map_or(0, |(offset, _)| offset + 1);
            state
                .logs
                .iter()
                .map(|(id, log)| LogEnd { partition: partition(*id), end: NextOffset(end(log)) })
                .collect()
        })
    }

    fn close(&mut self) {
        self.0.with(|state| state.closed = true);
    }
}

fn assign(state: &State, id: u32, logs: &Logs) -> Assigned {
    let committed = state.committed.get(&id);
    let start = committed.map_or(0, |commit| commit.watermark.0);
    Assigned {
        partition: partition(id),
        start: NextOffset(start),
        note: committed.map(|commit| commit.note.clone()),
        lane: Box::new(MemoryLane {
            logs: logs.clone(),
            partition: partition(id),
            next: start,
            bytes: Vec::new(),
            slots: PayloadSlots::default(),
        }),
    }
}

/// Payloads per fill.
const FILL: usize = 64;

struct MemoryLane {
    logs: Logs,
    partition: Partition,
    next: u64,
    bytes: Vec<(u64, Vec<u8>)>,
    slots: PayloadSlots,
}

impl Lane for MemoryLane {
    #[expect(unsafe_code, reason = "a lane's payloads borrow from the lane")]
    fn fill(&mut self) -> Result<Filled, SourceError> {
        let next = self.next;
        let (bytes, ended) = self.logs.with(|state| {
            let log = state
                .logs
                .get(&self.partition.id)
                .map_or(&[][..], Vec::as_slice);
            let from = log.partition_point(|(offset, _)| *offset < next);
            (log[from..].iter().take(FILL).cloned().collect::<Vec<_>>(), state.ended)
        });
        self.bytes = bytes;
        let Some((last, _)) = self.bytes.last() else {
            return Ok(if ended { Filled::Ended } else { Filled::Empty });
        };
        self.next = last + 1;
        for (offset, value) in &self.bytes {
            let payload = Payload {
                value: Some(value),
                key: None,
                offset: Offset(*offset),
                timestamp_ms: i64::MIN,
                token: 0,
            };
            // SAFETY: `self.bytes` is not touched before `release` clears the slots.
            unsafe { self.slots.push(payload) };
        }
        Ok(Filled::Payloads)
    }

    fn batch(&self) -> Batch<'_> {
        Batch::new(self.slots.as_slice(), &self.partition, None)
    }

    fn release(&mut self) {
        self.slots.clear();
        self.bytes.clear();
    }

    fn set_waker(&mut self, waker: LaneWaker) {
        self.logs
            .with(|state| state.wakers.insert(self.partition.id, waker));
    }
}

impl Drop for MemoryLane {
    fn drop(&mut self) {
        self.logs.with(|state| {
            state.live_lanes -= 1;
            state.wakers.remove(&self.partition.id);
        });
    }
}
