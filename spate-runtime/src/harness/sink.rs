//! A sink into the tables of a [`World`](super::World).

use std::sync::Arc;

use super::world::{Answer, Shared, Written};
use crate::clock::Clock;
use crate::error::Class;
use crate::id::{ReplicaId, ShardId};
use crate::preflight::Findings;
use crate::sink::{BoxFuture, Layout, Outcome, SealedBatch, Sink, WriteError};

pub(super) fn made(world: &Shared, index: usize, clock: &Clock) -> Arc<dyn Sink> {
    let world = world.clone();
    let layout = {
        let world = world.lock();
        let sink = &world.sinks[index];
        Layout {
            replicas: vec![1; sink.shards],
            deduplicates: sink.deduplicates,
            replicas_share_tokens: true,
        }
    };
    Arc::new(MemorySink { world, index, layout, clock: clock.clone() })
}

struct MemorySink {
    world: Shared,
    index: usize,
    layout: Layout,
    clock: Clock,
}

impl Sink for MemorySink {
    fn layout(&self) -> Layout {
        self.layout.clone()
    }

    fn check(&self) -> BoxFuture<'_, Findings> {
        Box::pin(async { Findings::default() })
    }

    fn probe(&self, _: ShardId, _: ReplicaId) -> BoxFuture<'_, Result<(), WriteError>> {
        Box::pin(async { Ok(()) })
    }

    fn write(
        &self,
        shard: ShardId,
        _: ReplicaId,
        batch: Arc<SealedBatch>,
    ) -> BoxFuture<'_, Result<(), WriteError>> {
        let (answer, delay) = {
            let mut world = self.world.lock();
            (world.next_answer(self.index), world.sinks[self.index].delay)
        };
        Box::pin(async move {
            if !delay.is_zero() {
                self.clock.sleep_until(self.clock.now() + delay).await;
            }
            let error = match answer {
                None | Some(Answer::Writes) => {
                    self.land(shard, &batch);
                    return Ok(());
                }
                Some(Answer::Fails(text)) => error(Class::Remote, Outcome::NotWritten, text),
                Some(Answer::Refuses(text)) => error(Class::Config, Outcome::NotWritten, text),
                Some(Answer::Loses) => {
                    self.land(shard, &batch);
                    let text = "the answer was lost".to_owned();
                    error(Class::Remote, Outcome::Unknown, text)
                }
                Some(Answer::Hangs) => std::future::pending().await,
            };
            Err(error)
        })
    }
}

impl MemorySink {
    fn land(&self, shard: ShardId, batch: &SealedBatch) {
        let frames = batch.frames();
        let written = Written {
            shard: shard.0,
            token: batch.token().to_owned(),
            rows: batch.rows(),
            first: frames
                .iter()
                .map(|frame| frame.first().0)
                .min()
                .unwrap_or(0),
            last: frames.iter().map(|frame| frame.last().0).max().unwrap_or(0),
            bytes: batch.chunks().collect::<Vec<_>>().concat(),
        };
        self.world.lock().land(self.index, written);
    }
}

const fn error(class: Class, outcome: Outcome, text: String) -> WriteError {
    WriteError { class, outcome, code: None, text, hint: String::new() }
}
