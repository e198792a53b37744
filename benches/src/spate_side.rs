//! Runs a pipeline's chain over an arena and discards its frames.

use std::sync::Arc;

use spate_runtime::clock::Clock;
use spate_runtime::id::Partition;
use spate_runtime::lane::drive::Step;
use spate_runtime::pipeline::{Rig, RigSettings};

use crate::arena::{Arena, ArenaLane};

/// The rig of a workload: `shards` of its one sink, frames of the default size.
#[must_use]
pub fn rig(pipeline: &spate::Pipeline, arena: &Arc<Arena>, shards: usize) -> Rig {
    rig_with_frames(pipeline, arena, shards, 256 << 10)
}

/// The rig of a workload, with frames of `frame_bytes`.
#[must_use]
pub fn rig_with_frames(
    pipeline: &spate::Pipeline,
    arena: &Arc<Arena>,
    shards: usize,
    frame_bytes: usize,
) -> Rig {
    let partition = Partition::new("arena", 0);
    let lane = ArenaLane::new(Arc::clone(arena), partition.clone());
    let settings =
        RigSettings { shards: vec![shards], frame_bytes, queue_frames: 64, memory: 256 << 20 };
    pipeline.rig(0, partition, Box::new(lane), &settings, &Clock::manual())
}

/// Steps `rig` to its end; gives the bytes of every frame to `discard`. Returns the rows.
///
/// # Panics
///
/// If the chain stops before the end of its input.
pub fn run(rig: &mut Rig, mut discard: impl FnMut(&[u8])) -> u64 {
    let now = Clock::manual().now();
    let mut rows = 0;
    loop {
        let step = rig.step(now);
        rig.take_frames(|frame| {
            rows += u64::from(frame.rows());
            discard(frame.bytes());
            true
        });
        match step {
            Step::Moved | Step::Blocked => {}
            Step::Ended => return rows,
            other => panic!("the chain stopped: {other:?}"),
        }
    }
}
