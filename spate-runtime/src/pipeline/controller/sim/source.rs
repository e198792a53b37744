//! The simulated source: a broker's control plane and lanes over the world's logs.

use std::sync::Arc as StdArc;
use std::time::Duration;

use super::world::{Event, LaneState, Shared};
use crate::batch::{Batch, Payload};
use crate::error::{Class, SourceError};
use crate::id::{NextOffset, Offset, Partition};
use crate::lane::source::{Assigned, Commit, Filled, Lane, LaneWaker, LogEnd, Source, SourceEvent};
use crate::preflight::Findings;

pub(super) struct SimSource {
    pub(super) world: Shared,
    pub(super) process: u64,
}

fn partition(id: u32) -> Partition {
    Partition::new("log", id)
}

fn partitions(ids: Vec<u32>) -> Vec<Partition> {
    ids.into_iter().map(partition).collect()
}

impl Source for SimSource {
    fn check(&mut self) -> Findings {
        Findings::default()
    }

    fn start(&mut self) -> Result<(), SourceError> {
        self.world.lock().joins(self.process);
        Ok(())
    }

    fn poll(&mut self, _wait: Duration) -> Result<Option<SourceEvent>, SourceError> {
        let event = self
            .world
            .lock()
            .members
            .get_mut(&self.process)
            .and_then(|member| member.events.pop_front());
        Ok(event.map(|event| match event {
            Event::Assign(ids) => {
                SourceEvent::Assigned(ids.into_iter().map(|id| self.assigned(id)).collect())
            }
            Event::Revoke(ids) => SourceEvent::Revoked(partitions(ids)),
            Event::Lose(ids) => SourceEvent::Lost(partitions(ids)),
        }))
    }

    fn commit(&mut self, commits: &[Commit]) -> Result<(), SourceError> {
        let mut world = self.world.lock();
        let refused = world.now < world.commit_refused_until || world.fault(12);
        let foreign = commits
            .iter()
            .any(|commit| !world.owns(self.process, commit.partition.id));
        if refused || foreign {
            world.see("commit refused");
            return Err(SourceError::new(Class::Remote, "the generation is stale"));
        }
        for commit in commits {
            world.observe_commit(self.process, commit);
        }
        if world.fault(20) {
            world.see("commit's reply lost");
            return Err(SourceError::new(Class::Remote, "no answer"));
        }
        Ok(())
    }

    fn released(&mut self, partitions: &[Partition]) {
        let mut world = self.world.lock();
        for partition in partitions {
            world.gives_back(self.process, partition.id);
        }
    }

    fn set_paused(&mut self, partition: &Partition, paused: bool) {
        let mut world = self.world.lock();
        if paused {
            world.see("paused");
        }
        let member = world.members.get_mut(&self.process);
        if let Some(lane) = member.and_then(|member| member.lanes.get_mut(&partition.id)) {
            lane.paused = paused;
            if let Some(waker) = lane.waker.clone().filter(|_| !paused) {
                waker();
            }
        }
    }

    fn log_ends(&mut self) -> Vec<LogEnd> {
        let world = self.world.lock();
        let ends = world.logs.iter().zip(0..);
        ends.map(|(log, id)| LogEnd { partition: partition(id), end: NextOffset(log.end) })
            .collect()
    }

    fn close(&mut self) {
        let mut world = self.world.lock();
        let left = world.members[&self.process].lanes.len();
        if left > 0 {
            world.violation(format!("INV-L4: closed with {left} lanes left"));
        }
    }
}

impl SimSource {
    fn assigned(&self, id: u32) -> Assigned {
        let mut world = self.world.lock();
        let log = &world.logs[id as usize];
        let (start, note) = match &log.committed {
            Some((watermark, note)) => (*watermark, Some(note.clone())),
            None => (0, None),
        };
        let next = log.payloads.partition_point(|stored| stored.offset < start);
        let state = LaneState { waker: None, paused: false, next };
        let member = world.members.get_mut(&self.process).expect("it polls");
        member.starts.insert(id, start);
        if member.lanes.insert(id, state).is_some() {
            world.violation(format!("partition {id} has two lanes in one process"));
        }
        let lane = SimLane {
            world: self.world.clone(),
            process: self.process,
            partition: partition(id),
            batch: Vec::new(),
        };
        let start = NextOffset(start);
        Assigned { partition: partition(id), start, note, lane: Box::new(lane) }
    }
}

struct SimLane {
    world: Shared,
    process: u64,
    partition: Partition,
    batch: Vec<Payload<'static>>,
}

impl SimLane {
    fn with<T>(&self, look: impl FnOnce(&mut LaneState) -> T) -> T {
        let mut world = self.world.lock();
        let member = world.members.get_mut(&self.process).expect("it has a lane");
        look(
            member
                .lanes
                .get_mut(&self.partition.id)
                .expect("it is this one"),
        )
    }
}

impl Lane for SimLane {
    fn fill(&mut self) -> Result<Filled, SourceError> {
        let (next, paused) = self.with(|lane| (lane.next, lane.paused));
        let mut world = self.world.lock();
        if !self.batch.is_empty() {
            world.violation("INV-L5: filled before the release".to_owned());
        }
        let pool = world.members[&self.process].pool.as_ref();
        if pool.is_some_and(|pool| pool.is_over_budget()) {
            world.violation("INV-Q3: read on with the budget used up".to_owned());
        }
        let count = usize::try_from(1 + world.below(8)).unwrap_or(1);
        let log = &world.logs[self.partition.id as usize];
        if paused || next >= log.payloads.len() {
            return Ok(Filled::Empty);
        }
        let stored: Vec<_> = log.payloads[next..].iter().take(count).copied().collect();
        drop(world);
        self.batch.extend(stored.iter().map(|stored| Payload {
            value: stored.value,
            key: None,
            offset: Offset(stored.offset),
            timestamp_ms: i64::MIN,
            token: 0,
        }));
        let count = stored.len();
        self.with(|lane| lane.next += count);
        Ok(Filled::Payloads)
    }

    fn batch(&self) -> Batch<'_> {
        Batch::new(&self.batch, &self.partition, None)
    }

    fn release(&mut self) {
        self.batch.clear();
    }

    fn set_waker(&mut self, waker: LaneWaker) {
        self.with(|lane| lane.waker = Some(StdArc::clone(&waker)));
    }

    fn position(&self) -> Option<NextOffset> {
        let next = self.with(|lane| lane.next);
        let world = self.world.lock();
        let log = &world.logs[self.partition.id as usize];
        // Control records behind the last payload are passed; a paused lane stands where it is.
        Some(NextOffset(match log.payloads.get(next) {
            Some(_) => next
                .checked_sub(1)
                .map_or(0, |last| log.payloads[last].offset + 1),
            None => log.end,
        }))
    }
}

impl Drop for SimLane {
    fn drop(&mut self) {
        let mut world = self.world.lock();
        if let Some(member) = world.members.get_mut(&self.process) {
            member.lanes.remove(&self.partition.id);
        }
    }
}
