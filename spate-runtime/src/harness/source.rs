//! A source over the logs of a [`World`](super::World).

#![expect(unsafe_code, reason = "slots that borrow from their own lane; see `PayloadSlots`")]

use std::sync::Arc as StdArc;
use std::time::Duration;

use super::world::{Event, Shared, Stored};
use crate::batch::{Batch, HeaderReader, Payload, PayloadSlots};
use crate::chain::shard_key::ShardKey as _;
use crate::error::{Class, SourceError};
use crate::id::{NextOffset, Offset, Partition};
use crate::lane::source::{Assigned, Commit, Filled, Lane, LaneWaker, LogEnd, Source, SourceEvent};
use crate::ledger::{Incarnation, NoteBook};
use crate::preflight::Findings;

/// Payloads that one fill takes at most.
const FILL: usize = 256;

pub(super) struct MemorySource {
    world: Shared,
    index: usize,
}

impl MemorySource {
    pub(super) fn boxed(world: &Shared, index: usize) -> Box<dyn Source> {
        Box::new(Self { world: world.clone(), index })
    }

    fn assigned(&self, partition: Partition) -> Assigned {
        let world = self.world.lock();
        let log = &world.sources[self.index].logs[&partition];
        let (start, note) = match &log.committed {
            Some((watermark, note)) => (*watermark, note.clone()),
            // As if its incarnation had been committed already: one that depends on nothing but
            // its name, so that tokens are the same in every run.
            None => {
                let name = partition.to_string();
                (0, NoteBook { incarnation: Incarnation(name.shard_hash()) }.note())
            }
        };
        let lane = MemoryLane {
            next: log.index_of(Offset(start)),
            world: self.world.clone(),
            source: self.index,
            partition: partition.clone(),
            held: Vec::new(),
            slots: PayloadSlots::default(),
        };
        drop(world);
        Assigned { partition, start: NextOffset(start), note: Some(note), lane: Box::new(lane) }
    }
}

impl Source for MemorySource {
    fn check(&mut self) -> Findings {
        Findings::default()
    }

    fn start(&mut self) -> Result<(), SourceError> {
        self.world.lock().joins(self.index);
        Ok(())
    }

    fn poll(&mut self, _wait: Duration) -> Result<Option<SourceEvent>, SourceError> {
        let event = self.world.lock().next_event(self.index);
        Ok(event.map(|(event, partition)| match event {
            Event::Assign => SourceEvent::Assigned(vec![self.assigned(partition)]),
            Event::Revoke => SourceEvent::Revoked(vec![partition]),
            Event::Lose => SourceEvent::Lost(vec![partition]),
        }))
    }

    fn commit(&mut self, commits: &[Commit]) -> Result<(), SourceError> {
        let mut world = self.world.lock();
        if world.refuses_commit(self.index) {
            return Err(SourceError::new(Class::Remote, "the test refuses this commit"));
        }
        for Commit { partition, watermark, note } in commits {
            world.commit(self.index, partition, watermark.0, note);
        }
        Ok(())
    }

    fn released(&mut self, partitions: &[Partition]) {
        let mut world = self.world.lock();
        for partition in partitions {
            world.gives_back(self.index, partition);
        }
    }

    fn set_paused(&mut self, _: &Partition, _: bool) {}

    fn log_ends(&mut self) -> Vec<LogEnd> {
        let world = self.world.lock();
        let logs = world.sources[self.index].logs.iter();
        logs.map(|(partition, log)| LogEnd {
            partition: partition.clone(),
            end: NextOffset(log.end()),
        })
        .collect()
    }

    fn close(&mut self) {}
}

struct MemoryLane {
    world: Shared,
    source: usize,
    partition: Partition,
    /// The index of the next payload.
    next: usize,
    /// What the slots borrow from; a token is an index into it.
    held: Vec<StdArc<Stored>>,
    slots: PayloadSlots,
}

impl Lane for MemoryLane {
    fn fill(&mut self) -> Result<Filled, SourceError> {
        let world = self.world.lock();
        let log = &world.sources[self.source].logs[&self.partition];
        let end = log.payloads.len().min(self.next + FILL);
        self.held.extend_from_slice(&log.payloads[self.next..end]);
        drop(world);
        self.next = end;
        for (token, stored) in self.held.iter().enumerate() {
            let payload = Payload {
                value: stored.value.as_deref(),
                key: stored.key.as_deref(),
                offset: Offset(stored.offset),
                timestamp_ms: stored.timestamp_ms.unwrap_or(i64::MIN),
                token,
            };
            // SAFETY: the bytes are those of an `Arc` in `held`, which nobody writes to; `release`
            // clears the slots before it drops them, and so does a drop of the lane, whose fields
            // are dropped together: a payload has no drop of its own that would look at them.
            unsafe { self.slots.push(payload) };
        }
        Ok(if self.held.is_empty() { Filled::Empty } else { Filled::Payloads })
    }

    fn batch(&self) -> Batch<'_> {
        Batch::new(self.slots.as_slice(), &self.partition, Some(self))
    }

    fn release(&mut self) {
        self.slots.clear();
        self.held.clear();
    }

    fn set_waker(&mut self, waker: LaneWaker) {
        let mut world = self.world.lock();
        world.sources[self.source]
            .wakers
            .insert(self.partition.clone(), waker);
    }
}

impl HeaderReader for MemoryLane {
    fn headers(&self, token: usize, each: &mut dyn FnMut(&str, Option<&[u8]>)) {
        for (name, value) in &self.held[token].headers {
            each(name, value.as_deref());
        }
    }
}
