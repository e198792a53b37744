//! Probes a shard until one of its replicas answers, for readiness.

use std::sync::Arc as StdArc;
use std::time::Duration;

use crate::clock::Clock;
use crate::id::{ReplicaId, ShardId};
use crate::sink::Sink;
use crate::sink::status::ShardStatus;
use crate::sync::{Arc, Ordering};

/// Between two rounds over the replicas.
const AGAIN: Duration = Duration::from_secs(1);

/// Returns once a replica answered or a write succeeded.
pub(crate) async fn until_answered(
    sink: StdArc<dyn Sink>,
    shard: ShardId,
    status: Arc<ShardStatus>,
    clock: Clock,
) {
    let replicas = sink.layout().replicas.get(shard.0).copied().unwrap_or(1);
    while !status.answered.load(Ordering::Relaxed) {
        for replica in 0..replicas {
            if sink.probe(shard, ReplicaId(replica)).await.is_ok() {
                status.answered.store(true, Ordering::Relaxed);
                return;
            }
        }
        clock.sleep_until(clock.now() + AGAIN).await;
    }
}
