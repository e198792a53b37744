//! What is outside the processes: logs, the broker that assigns them, time and chance.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc as StdArc, Mutex as StdMutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::server::{Server, Wire};
use crate::chain::pool::Pool;
use crate::lane::source::{LaneWaker, Note};
use crate::sink::retry::Jitter;
use crate::sync::Arc;

pub(super) const PARTITIONS: u32 = 3;
/// Payloads each log will hold.
const PAYLOADS: usize = 60;

/// Everything a run of many seeds must have seen.
pub(super) const FAULTS: &[&str] = &[
    "crash",
    "stop",
    "slow shard",
    "revoke",
    "revoke past its bound",
    "lost partition",
    "commit refused",
    "commit's reply lost",
    "write refused",
    "write's reply lost",
    "write lost",
    "write for good refused",
    "late landing",
    "panic",
    "stopped",
    "bad row",
    "over budget",
    "duplicate dropped by its token",
    "another owner",
    "paused",
];

/// What stands in a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Tombstone,
    Filtered,
    Rejected,
    /// A record of so many items.
    Items(u8),
}

/// What an operator does on a payload as long as it is armed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trap {
    Panic,
    Stop,
    BadRow,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) offset: u64,
    pub(super) kind: Kind,
    pub(super) value: Option<&'static [u8]>,
}

#[derive(Default)]
pub(super) struct Log {
    pub(super) payloads: Vec<Stored>,
    /// The next offset it will give out; control records may stand below it.
    pub(super) end: u64,
    /// Payloads from the front whose rows are all durable.
    pub(super) solid: usize,
    pub(super) committed: Option<(u64, Note)>,
    owner: Owner,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Owner {
    #[default]
    Nobody,
    Owns(u64),
    /// Asked to give it back.
    Leaving(u64),
}

pub(super) enum Event {
    Assign(Vec<u32>),
    Revoke(Vec<u32>),
    Lose(Vec<u32>),
}

/// A process as the broker knows it.
#[derive(Default)]
pub(super) struct Member {
    pub(super) events: VecDeque<Event>,
    /// Lost, and not yet given up by the process.
    pub(super) losing: BTreeSet<u32>,
    pub(super) lanes: BTreeMap<u32, LaneState>,
    /// Rows its chains pushed, by sink.
    pub(super) pushes: [u64; 3],
    /// The frame memory of the process.
    pub(super) pool: Option<Arc<Pool>>,
    /// By sink.
    pub(super) max_inflight: Vec<usize>,
    /// By partition: where its last lane began.
    pub(super) starts: BTreeMap<u32, u64>,
    joined: bool,
}

/// A lane that exists.
pub(super) struct LaneState {
    pub(super) waker: Option<LaneWaker>,
    pub(super) paused: bool,
    /// Given out so far, exclusive.
    pub(super) next: usize,
}

pub(super) struct World {
    rng: Jitter,
    pub(super) now: Duration,
    pub(super) calm: bool,
    /// All is done: whoever ends is not started again.
    pub(super) is_over: bool,
    pub(super) logs: Vec<Log>,
    pub(super) members: BTreeMap<u64, Member>,
    pub(super) server: Server,
    pub(super) traps: BTreeMap<(u32, u64), Trap>,
    pub(super) violations: Vec<String>,
    pub(super) history: Vec<String>,
    pub(super) seen: BTreeMap<&'static str, u64>,
    pub(super) born: u64,
    pub(super) commit_refused_until: Duration,
    last_owner: BTreeMap<u32, u64>,
}

/// The world, shared by everything that runs in it; one thread only.
#[derive(Clone)]
pub(super) struct Shared(StdArc<StdMutex<World>>);

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, World> {
        self.0.try_lock().unwrap_or_else(|error| match error {
            std::sync::TryLockError::Poisoned(poisoned) => PoisonError::into_inner(poisoned),
            std::sync::TryLockError::WouldBlock => panic!("the simulation locked its world twice"),
        })
    }
}

impl World {
    pub(super) fn begin(seed: u64) -> Shared {
        let mut rng = Jitter::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5eed);
        let server = Server::new(&mut rng);
        Shared(StdArc::new(StdMutex::new(Self {
            rng,
            now: Duration::ZERO,
            calm: false,
            is_over: false,
            logs: (0..PARTITIONS).map(|_| Log::default()).collect(),
            members: BTreeMap::new(),
            server,
            traps: BTreeMap::new(),
            violations: Vec::new(),
            history: Vec::new(),
            seen: BTreeMap::new(),
            born: 0,
            commit_refused_until: Duration::ZERO,
            last_owner: BTreeMap::new(),
        })))
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.rng.draw() % limit.max(1)
    }

    pub(super) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    /// Whether a fault happens that would happen once in so many times.
    pub(super) fn fault(&mut self, count: u64) -> bool {
        let hit = self.one_in(count);
        hit && !self.calm
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for left in (1..items.len()).rev() {
            let other = usize::try_from(self.below(left as u64 + 1)).unwrap_or(0);
            items.swap(left, other);
        }
    }

    pub(super) fn see(&mut self, what: &'static str) {
        *self.seen.entry(what).or_insert(0) += 1;
        self.tell_history(what.to_owned());
    }

    /// Writes down what happened; an incarnation is random, and is left out.
    pub(super) fn tell_history(&mut self, what: String) {
        let random = |part: &&str| part.len() == 16;
        let plain = |word: &str| {
            let parts = word.split('-').filter(|part| !random(part));
            parts.collect::<Vec<_>>().join("-")
        };
        let what = what.split(' ').map(plain).collect::<Vec<_>>().join(" ");
        self.history.push(format!("{:?} {what}", self.now));
    }

    pub(super) fn violation(&mut self, text: String) {
        if self.violations.len() < 5 {
            self.violations.push(format!("{text} (at {:?})", self.now));
        }
    }

    pub(super) fn pass(&mut self, time: Duration) {
        self.now += time;
    }

    /// No fault from now on, and everything there will ever be is produced.
    pub(super) fn calm_down(&mut self) {
        self.calm = true;
        self.server.slow_until.clear();
        self.server.refuses_until = Duration::ZERO;
        self.commit_refused_until = Duration::ZERO;
        for partition in 0..PARTITIONS {
            self.append(partition, PAYLOADS);
        }
    }

    pub(super) fn produce(&mut self) {
        if !self.calm && self.one_in(3) {
            let partition = u32::try_from(self.below(u64::from(PARTITIONS))).unwrap_or(0);
            let count = usize::try_from(self.below(6)).unwrap_or(0);
            self.append(partition, count);
        }
    }

    fn append(&mut self, partition: u32, count: usize) {
        let index = partition as usize;
        for _ in 0..count {
            if self.logs[index].payloads.len() >= PAYLOADS {
                break;
            }
            // Compaction, aborted transactions, control records.
            let gap = if self.one_in(3) { self.below(4) } else { 0 };
            let offset = self.logs[index].end + gap;
            let kind = match self.below(10) {
                0 => Kind::Tombstone,
                1 => Kind::Filtered,
                2 => Kind::Rejected,
                _ => Kind::Items(u8::try_from(self.below(5)).unwrap_or(1)),
            };
            if matches!(kind, Kind::Items(1..)) && self.fault(60) {
                let trap = [Trap::Panic, Trap::Stop, Trap::BadRow]
                    [usize::try_from(self.below(3)).unwrap_or(0)];
                self.traps.insert((partition, offset), trap);
            }
            let log = &mut self.logs[index];
            log.payloads
                .push(Stored { offset, kind, value: kind.value() });
            log.end = offset + 1;
        }
        if self.one_in(3) {
            self.logs[index].end += 1;
        }
        self.look_solid(partition);
        for member in self.members.values() {
            if let Some(waker) = member
                .lanes
                .get(&partition)
                .and_then(|lane| lane.waker.as_ref())
            {
                waker();
            }
        }
    }

    /// Whether all there is was written and committed.
    pub(super) fn is_done(&self) -> bool {
        self.logs.iter().all(|log| {
            log.solid == log.payloads.len()
                && log
                    .committed
                    .as_ref()
                    .is_some_and(|(watermark, _)| *watermark == log.end)
        })
    }

    pub(super) fn tell(&self) -> String {
        let logs = self.logs.iter().map(|log| {
            let committed = log.committed.as_ref().map(|(watermark, _)| *watermark);
            let next = log.payloads.get(log.solid).map(|stored| stored.offset);
            format!("end {} committed {committed:?} not durable {next:?} {:?}", log.end, log.owner)
        });
        logs.collect::<Vec<_>>().join("; ")
    }

    /// The broker takes partitions away and gives them to others.
    pub(super) fn rebalance(&mut self) {
        let members: Vec<u64> = self
            .members
            .iter()
            .filter(|(_, member)| member.joined)
            .map(|(id, _)| *id)
            .collect();
        if members.is_empty() {
            return;
        }
        for partition in 0..PARTITIONS {
            let Owner::Nobody = self.logs[partition as usize].owner else { continue };
            let to = members[usize::try_from(self.below(members.len() as u64)).unwrap_or(0)];
            let member = &self.members[&to];
            if member.losing.contains(&partition) || member.lanes.contains_key(&partition) {
                continue;
            }
            self.logs[partition as usize].owner = Owner::Owns(to);
            if self
                .last_owner
                .insert(partition, to)
                .is_some_and(|last| last != to)
            {
                self.see("another owner");
            }
            if let Some(member) = self.members.get_mut(&to) {
                member.events.push_back(Event::Assign(vec![partition]));
            }
        }
        if !self.fault(15) {
            return;
        }
        let from = members[usize::try_from(self.below(members.len() as u64)).unwrap_or(0)];
        let owned: Vec<u32> = (0..PARTITIONS)
            .filter(|partition| self.logs[*partition as usize].owner == Owner::Owns(from))
            .collect();
        let some: Vec<u32> = owned.into_iter().filter(|_| self.one_in(2)).collect();
        if some.is_empty() {
            return;
        }
        let lost = self.one_in(4);
        self.see(if lost { "lost partition" } else { "revoke" });
        for partition in &some {
            self.logs[*partition as usize].owner =
                if lost { Owner::Nobody } else { Owner::Leaving(from) };
        }
        if let Some(member) = self.members.get_mut(&from) {
            if lost {
                member.losing.extend(&some);
            }
            member
                .events
                .push_back(if lost { Event::Lose(some) } else { Event::Revoke(some) });
        }
    }

    pub(super) fn slow_down(&mut self) {
        let (sink, shard) = (usize::try_from(self.below(3)).unwrap_or(0), self.below(2));
        let until = self.now + Duration::from_millis(200 + self.below(4_000));
        let shard = usize::try_from(shard).unwrap_or(0);
        self.server.slow_until.insert((sink, shard), until);
    }

    pub(super) fn refuse_for_a_while(&mut self) {
        let until = self.now + Duration::from_millis(self.below(1_500));
        if self.one_in(2) {
            self.commit_refused_until = until;
        } else {
            self.server.refuses_until = until;
        }
    }

    pub(super) fn land_late(&mut self) {
        let now = self.now;
        let (mut due, rest): (Vec<Wire>, Vec<Wire>) = std::mem::take(&mut self.server.late)
            .into_iter()
            .partition(|wire| wire.at <= now);
        self.server.late = rest;
        // Tasks that are dropped with their runtime are dropped in no order of ours.
        due.sort_by(|one, other| (one.at, &one.token).cmp(&(other.at, &other.token)));
        for wire in due {
            self.see("late landing");
            self.land(&wire);
        }
    }

    pub(super) fn joins(&mut self, process: u64) {
        self.members.entry(process).or_default().joined = true;
    }

    /// The process is gone, one way or the other: what it owned is nobody's.
    pub(super) fn leaves(&mut self, process: u64) {
        for log in &mut self.logs {
            if matches!(log.owner, Owner::Owns(of) | Owner::Leaving(of) if of == process) {
                log.owner = Owner::Nobody;
            }
        }
        if let Some(member) = self.members.get_mut(&process) {
            member.joined = false;
        }
    }

    pub(super) fn owns(&self, process: u64, partition: u32) -> bool {
        let owner = self.logs[partition as usize].owner;
        owner == Owner::Owns(process) || owner == Owner::Leaving(process)
    }

    pub(super) fn start_of(&self, process: u64, partition: u32) -> Option<u64> {
        self.members[&process].starts.get(&partition).copied()
    }

    pub(super) fn inflight_of(&self, process: u64, sink: usize) -> usize {
        self.members[&process].max_inflight[sink]
    }

    pub(super) fn gives_back(&mut self, process: u64, partition: u32) {
        let alive = self.members[&process].lanes.contains_key(&partition);
        if alive {
            self.violation(format!("INV-L4: partition {partition} released before its lane"));
        }
        let losing = self
            .members
            .get_mut(&process)
            .is_some_and(|member| member.losing.remove(&partition));
        if losing {
            return;
        }
        let owner = &mut self.logs[partition as usize].owner;
        if *owner == Owner::Leaving(process) {
            *owner = Owner::Nobody;
        } else {
            let owner = *owner;
            self.violation(format!("partition {partition} was given back unasked: {owner:?}"));
        }
    }
}

impl Kind {
    fn value(self) -> Option<&'static [u8]> {
        match self {
            Self::Tombstone => None,
            Self::Filtered => Some(b"f"),
            Self::Rejected => Some(b"r"),
            Self::Items(count) => {
                const ITEMS: [&[u8]; 5] = [&[0], &[1], &[2], &[3], &[4]];
                Some(ITEMS[usize::from(count.min(4))])
            }
        }
    }

    /// The inverse of `value`, as a chain decodes it.
    pub(super) fn of(value: &[u8]) -> Self {
        match value {
            b"f" => Self::Filtered,
            b"r" => Self::Rejected,
            [count] => Self::Items(*count),
            _ => Self::Tombstone,
        }
    }
}
