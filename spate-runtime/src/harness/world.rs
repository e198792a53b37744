//! What is outside of the processes of a test: logs, commits, tables, and what is asked of them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc as StdArc, Mutex as StdMutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::graph::Graph;
use crate::id::{Offset, Partition};
use crate::lane::source::{LaneWaker, Note};

/// A payload in a log.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stored {
    /// Its value; `None` is a tombstone.
    pub value: Option<Vec<u8>>,
    /// Its key.
    pub key: Option<Vec<u8>>,
    /// Milliseconds since the Unix epoch.
    pub timestamp_ms: Option<i64>,
    /// Names and values, in order.
    pub headers: Vec<(String, Option<Vec<u8>>)>,
    /// Where it stands; given when it is appended.
    pub offset: u64,
}

/// A commit that was accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Committed {
    /// Of which partition.
    pub partition: Partition,
    /// Everything below it is durable.
    pub watermark: u64,
}

/// A batch that was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// To which shard.
    pub shard: usize,
    /// Its deduplication token.
    pub token: String,
    /// How many rows it has.
    pub rows: u64,
    /// The offset of the first payload with a row in it.
    pub first: u64,
    /// The offset of the last payload with a row in it.
    pub last: u64,
    /// Its rows, as `Captured` encodes them.
    pub bytes: Vec<u8>,
}

/// What a sink does with a write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Writes it, as it would unasked.
    Writes,
    /// Writes nothing and says so; it will be tried again.
    Fails(String),
    /// Writes nothing and never will: the pipeline stops.
    Refuses(String),
    /// Writes it and says nothing of it: whether it was written is unknown.
    Loses,
    /// Neither writes it nor answers.
    Hangs,
}

#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) payloads: Vec<StdArc<Stored>>,
    pub(super) committed: Option<(u64, Note)>,
    owner: Owner,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Owner {
    /// The process, or the next one.
    #[default]
    Ours,
    /// Asked to give it back.
    Leaving,
    /// Somebody else.
    Others,
}

impl Log {
    /// The next offset.
    pub(super) fn end(&self) -> u64 {
        self.payloads.last().map_or(0, |last| last.offset + 1)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    Assign,
    Revoke,
    Lose,
}

#[derive(Default)]
pub(super) struct SourceEnd {
    name: &'static str,
    pub(super) logs: BTreeMap<Partition, Log>,
    pub(super) events: VecDeque<(Event, Partition)>,
    /// Wakers of the lanes that live.
    pub(super) wakers: BTreeMap<Partition, LaneWaker>,
    commits: Vec<Committed>,
    refused_commits: u32,
    joined: bool,
}

#[derive(Debug)]
pub(super) struct SinkEnd {
    pub(super) shards: usize,
    pub(super) deduplicates: bool,
    pub(super) delay: Duration,
    answers: VecDeque<Answer>,
    tokens: BTreeSet<(usize, String)>,
    landed: Vec<Written>,
    writes: u64,
    duplicates: u64,
}

/// The ends of a pipeline under test: they outlive its processes.
pub struct World {
    pub(super) sources: Vec<SourceEnd>,
    pub(super) sinks: Vec<SinkEnd>,
    acts: u64,
    processes: u64,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let logs = self.sources.iter().flat_map(|source| &source.logs);
        let logs: BTreeMap<String, (u64, Option<u64>)> = logs
            .map(|(partition, log)| {
                let committed = log.committed.as_ref().map(|(watermark, _)| *watermark);
                (partition.to_string(), (log.end(), committed))
            })
            .collect();
        f.debug_struct("World")
            .field("end_and_committed", &logs)
            .finish_non_exhaustive()
    }
}

impl World {
    pub(super) fn of(graph: &Graph) -> Self {
        let source = |name| SourceEnd { name, ..SourceEnd::default() };
        let sink = || SinkEnd {
            shards: 1,
            deduplicates: true,
            delay: Duration::ZERO,
            answers: VecDeque::new(),
            tokens: BTreeSet::new(),
            landed: Vec::new(),
            writes: 0,
            duplicates: 0,
        };
        Self {
            sources: graph.sources.iter().map(|node| source(node.name)).collect(),
            sinks: graph.sinks.iter().map(|_| sink()).collect(),
            acts: 0,
            processes: 0,
        }
    }

    /// A partition of a source, by number; its topic is called as the source is.
    #[must_use]
    pub fn partition(&self, source: usize, id: u32) -> Partition {
        Partition::new(self.sources[source].name, id)
    }

    /// Appends a payload at `offset`, or behind the last one; where it stands.
    ///
    /// # Errors
    ///
    /// The next offset, if `offset` lies below it.
    pub fn append(
        &mut self,
        source: usize,
        partition: &Partition,
        payload: Stored,
        offset: Option<u64>,
    ) -> Result<u64, u64> {
        self.acts += 1;
        self.known(source, partition);
        let source = &mut self.sources[source];
        let log = source.logs.entry(partition.clone()).or_default();
        let end = log.end();
        let offset = offset.unwrap_or(end);
        if offset < end {
            return Err(end);
        }
        log.payloads.push(StdArc::new(Stored { offset, ..payload }));
        if let Some(waker) = source.wakers.get(partition) {
            waker();
        }
        Ok(offset)
    }

    /// Takes a partition away: with `lost` at once, else the pipeline is asked to give it back.
    pub fn revoke(&mut self, source: usize, partition: &Partition, lost: bool) {
        self.acts += 1;
        self.known(source, partition);
        let source = &mut self.sources[source];
        let Some(log) = source
            .logs
            .get_mut(partition)
            .filter(|log| log.owner == Owner::Ours)
        else {
            return;
        };
        if !source.joined {
            log.owner = Owner::Others;
            return;
        }
        log.owner = if lost { Owner::Others } else { Owner::Leaving };
        let event = if lost { Event::Lose } else { Event::Revoke };
        source.events.push_back((event, partition.clone()));
    }

    /// Gives a partition to the pipeline again.
    pub fn assign(&mut self, source: usize, partition: &Partition) {
        self.acts += 1;
        self.known(source, partition);
        let source = &mut self.sources[source];
        let Some(log) = source
            .logs
            .get_mut(partition)
            .filter(|log| log.owner != Owner::Ours)
        else {
            return;
        };
        log.owner = Owner::Ours;
        if source.joined {
            source.events.push_back((Event::Assign, partition.clone()));
        }
    }

    /// Makes the next commits fail.
    pub fn refuse_commits(&mut self, source: usize, count: u32) {
        self.sources[source].refused_commits = count;
    }

    /// The commits of a source that were accepted, in order.
    #[must_use]
    pub fn commits(&self, source: usize) -> &[Committed] {
        &self.sources[source].commits
    }

    /// The committed watermark of a partition; `None` before its first commit.
    #[must_use]
    pub fn committed(&self, source: usize, partition: &Partition) -> Option<u64> {
        let log = self.sources[source].logs.get(partition)?;
        log.committed.as_ref().map(|(watermark, _)| *watermark)
    }

    /// Adds what a sink does with its next write.
    pub fn answer(&mut self, sink: usize, answer: Answer) {
        self.sinks[sink].answers.push_back(answer);
    }

    /// Forgets what the sink was to do with writes to come: they succeed.
    pub fn recover(&mut self, sink: usize) {
        self.sinks[sink].answers.clear();
        self.sinks[sink].delay = Duration::ZERO;
    }

    /// How long every write to a sink takes from now on.
    pub fn delay(&mut self, sink: usize, delay: Duration) {
        self.sinks[sink].delay = delay;
    }

    /// How many shards a sink has; for processes that start from now on.
    pub fn shards(&mut self, sink: usize, shards: usize) {
        self.sinks[sink].shards = shards.max(1);
    }

    /// Whether a sink drops a batch whose token it has; for processes that start from now on.
    pub fn deduplicates(&mut self, sink: usize, deduplicates: bool) {
        self.sinks[sink].deduplicates = deduplicates;
    }

    /// Writes that a sink was asked for, and those it dropped because it had their token.
    #[must_use]
    pub fn writes(&self, sink: usize) -> (u64, u64) {
        (self.sinks[sink].writes, self.sinks[sink].duplicates)
    }

    /// A number that rises whenever something happens here.
    pub(super) const fn acts(&self) -> u64 {
        self.acts
    }

    /// A process is about to start: its number.
    pub(super) const fn born(&mut self) -> u64 {
        self.processes += 1;
        self.processes
    }

    /// The process has ended: nothing of it is left, and what it was to give back is gone.
    pub(super) fn left(&mut self) {
        for source in &mut self.sources {
            source.joined = false;
            source.events.clear();
            source.wakers.clear();
            for log in source.logs.values_mut() {
                if log.owner == Owner::Leaving {
                    log.owner = Owner::Others;
                }
            }
        }
    }

    pub(super) fn has_events(&self) -> bool {
        self.sources.iter().any(|source| !source.events.is_empty())
    }

    /// The next offset of a partition's log.
    pub(super) fn end_of(&self, source: usize, partition: &Partition) -> u64 {
        self.sources[source].logs.get(partition).map_or(0, Log::end)
    }

    pub(super) fn joins(&mut self, source: usize) {
        self.acts += 1;
        let first = self.partition(source, 0);
        self.known(source, &first);
        let source = &mut self.sources[source];
        source.joined = true;
        let ours = source
            .logs
            .iter()
            .filter(|(_, log)| log.owner == Owner::Ours);
        let ours = ours.map(|(partition, _)| (Event::Assign, partition.clone()));
        source.events = ours.collect();
    }

    pub(super) fn next_event(&mut self, source: usize) -> Option<(Event, Partition)> {
        let event = self.sources[source].events.pop_front()?;
        self.acts += 1;
        Some(event)
    }

    pub(super) fn gives_back(&mut self, source: usize, partition: &Partition) {
        self.acts += 1;
        let log = self.sources[source].logs.get_mut(partition);
        if let Some(log) = log.filter(|log| log.owner == Owner::Leaving) {
            log.owner = Owner::Others;
        }
    }

    /// Takes a commit; whether it is accepted.
    pub(super) fn commit(
        &mut self,
        source: usize,
        partition: &Partition,
        watermark: u64,
        note: &Note,
    ) {
        self.acts += 1;
        let source = &mut self.sources[source];
        let log = source.logs.entry(partition.clone()).or_default();
        log.committed = Some((watermark, note.clone()));
        source
            .commits
            .push(Committed { partition: partition.clone(), watermark });
    }

    /// Whether a commit is to fail.
    pub(super) const fn refuses_commit(&mut self, source: usize) -> bool {
        let refused = &mut self.sources.as_mut_slice()[source].refused_commits;
        let refuses = *refused > 0;
        *refused = refused.saturating_sub(1);
        refuses
    }

    /// The answer to a write that begins now.
    pub(super) fn next_answer(&mut self, sink: usize) -> Option<Answer> {
        self.acts += 1;
        self.sinks[sink].writes += 1;
        self.sinks[sink].answers.pop_front()
    }

    /// Writes a batch, unless the sink has its token.
    pub(super) fn land(&mut self, sink: usize, written: Written) {
        self.acts += 1;
        let sink = &mut self.sinks[sink];
        let token = (written.shard, written.token.clone());
        if sink.tokens.insert(token) || !sink.deduplicates {
            sink.landed.push(written);
        } else {
            sink.duplicates += 1;
        }
    }

    pub(super) fn take_written(&mut self, sink: usize) -> Vec<Written> {
        std::mem::take(&mut self.sinks[sink].landed)
    }

    /// Makes a partition known: a process that has joined is given it.
    fn known(&mut self, source: usize, partition: &Partition) {
        let source = &mut self.sources[source];
        if source.logs.contains_key(partition) {
            return;
        }
        source.logs.insert(partition.clone(), Log::default());
        if source.joined {
            source.events.push_back((Event::Assign, partition.clone()));
        }
    }
}

impl Log {
    /// The index of the first payload at or behind `offset`.
    pub(super) fn index_of(&self, offset: Offset) -> usize {
        self.payloads
            .partition_point(|stored| stored.offset < offset.0)
    }
}

/// The world, shared by everything that runs in it.
#[derive(Clone)]
pub(super) struct Shared(StdArc<StdMutex<World>>);

impl Shared {
    pub(super) fn new(world: World) -> Self {
        Self(StdArc::new(StdMutex::new(world)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
