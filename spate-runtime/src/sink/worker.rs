//! The writer of one shard: a task on the I/O runtime around `WriterCore`.
//!
//! Receives frames, writes sealed batches, resolves their frames. A write runs as a task of its
//! own, so that compression uses every I/O thread; at most `max_inflight` per group at a time.
//!
//! Holds: INV-S1, INV-S2, INV-W1 (a frame is resolved after its write came back as durable only).

use std::collections::HashMap;
use std::sync::Arc as StdArc;
use std::sync::mpsc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::{self, JoinSet};

use super::attempt::{Attempts, Next};
use super::batcher::{BatchItem, Limits};
use super::replica::Replicas;
use super::retry::{Backoff, Jitter};
use super::sealed::SealedBatch;
use super::status::ShardStatus;
use super::token::token;
use super::traits::{Outcome, Sink, WriteError};
use super::writer::WriterCore;
use crate::chain::frame::Frame;
use crate::chain::port::SinkShared;
use crate::clock::Clock;
use crate::error::Class;
use crate::id::ShardId;
use crate::sync::{Arc, AtomicBool, Mutex, Ordering};

impl BatchItem for Frame {
    fn group(&self) -> u64 {
        self.group
    }

    fn rows(&self) -> u64 {
        u64::from(self.rows)
    }

    fn bytes(&self) -> u64 {
        self.buf.len() as u64
    }

    fn opened_at(&self) -> std::time::Instant {
        self.opened_at
    }

    fn is_closing(&self) -> bool {
        self.lane.is_closing()
    }

    fn is_void(&self) -> bool {
        self.lane.is_void()
    }
}

/// How the controller and the lanes reach a writer.
#[derive(Debug, Default)]
pub struct WriterSignal {
    notify: Notify,
    lanes_changed: AtomicBool,
    abandon: AtomicBool,
    /// Wakes writes that wait for their backoff.
    waiting: Notify,
}

impl WriterSignal {
    /// Lanes are closing or their epochs have ended.
    pub fn lanes_changed(&self) {
        self.lanes_changed.store(true, Ordering::Release);
        self.notify.notify_one();
        self.waiting.notify_waiters();
    }

    /// Lanes wait for the budget: look whether it is frames of this writer that hold it.
    pub fn gate(&self) {
        self.notify.notify_one();
    }

    /// Give up everything and end.
    pub fn abandon(&self) {
        self.abandon.store(true, Ordering::Release);
        self.notify.notify_one();
        self.waiting.notify_waiters();
    }
}

/// A sink refused a batch for good: the pipeline stops.
#[derive(Debug)]
pub struct SinkFailure {
    /// The sink's name.
    pub sink: &'static str,
    /// Which of its shards.
    pub shard: ShardId,
    /// What it said.
    pub error: WriteError,
    /// The token of the batch it refused.
    pub token: String,
}

/// What a writer is made from.
pub struct WriterParts {
    /// The pipeline's name, for tokens.
    pub pipeline: &'static str,
    /// What the ports into this sink share.
    pub shared: Arc<SinkShared>,
    /// Which shard.
    pub shard: ShardId,
    /// Who writes.
    pub sink: StdArc<dyn Sink>,
    /// When batches are sealed.
    pub limits: Limits,
    /// Writes per group at a time.
    pub max_inflight: usize,
    /// The waits between attempts.
    pub backoff: Backoff,
    /// Seed of the jitter.
    pub seed: u64,
    /// How others reach it.
    pub signal: Arc<WriterSignal>,
    /// What it shows.
    pub status: Arc<ShardStatus>,
    /// Where failures go.
    pub failures: mpsc::Sender<SinkFailure>,
    /// Time.
    pub clock: Clock,
}

impl std::fmt::Debug for WriterParts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WriterParts")
            .field("sink", &self.shared.name)
            .field("shard", &self.shard)
            .finish_non_exhaustive()
    }
}

/// What became of one batch.
enum Written {
    Durable,
    Refused(WriteError),
    /// Its lanes' epochs ended, or the pipeline gave up.
    Void,
}

/// A batch being written, with its group.
type InFlight = (u64, StdArc<SealedBatch>);

/// Writes until the queue is closed and everything is written, or until told to abandon.
pub async fn run(parts: WriterParts) {
    let queue = Arc::clone(&parts.shared.queues[parts.shard.0]);
    let mut core = WriterCore::new(parts.limits, parts.max_inflight);
    let replicas = parts
        .sink
        .layout()
        .replicas
        .get(parts.shard.0)
        .copied()
        .unwrap_or(1);
    let replicas = StdArc::new(Mutex::new(Replicas::new(replicas)));
    let parts = StdArc::new(parts);
    let mut writes: JoinSet<Written> = JoinSet::new();
    let mut in_flight: HashMap<task::Id, InFlight> = HashMap::new();
    let mut open = true;
    let mut seeds = Jitter::new(parts.seed);

    loop {
        parts.status.turns.fetch_add(1, Ordering::Relaxed);
        if parts.signal.lanes_changed.swap(false, Ordering::AcqRel) {
            core.on_lanes_changed();
        }
        if core.is_starved() && queue.is_empty() && parts.shared.pool.is_over_budget() {
            // Nothing is on its way that would give memory back: do not wait for the linger.
            core.on_gated();
        }
        if parts.signal.abandon.load(Ordering::Acquire) {
            break;
        }
        core.on_time(parts.clock.now());
        while let Some((group, frames)) = core.start_next() {
            let token = token(parts.pipeline, parts.shared.name, &frames);
            let batch = StdArc::new(SealedBatch::new(frames, token));
            let (parts, replicas) = (StdArc::clone(&parts), StdArc::clone(&replicas));
            let jitter = Jitter::new(seeds.draw());
            let writing = StdArc::clone(&batch);
            let id = writes
                .spawn(async move { write(&parts, &replicas, &writing, jitter).await })
                .id();
            in_flight.insert(id, (group, batch));
        }
        parts.status.count_void(&parts.shared, core.take_void());
        if !open && core.is_idle() {
            break;
        }

        let due = core.due_at();
        tokio::select! {
            biased;
            Some(done) = writes.join_next_with_id(), if !writes.is_empty() => {
                if let Some(group) = settle(&parts, &mut in_flight, done) {
                    core.on_written(group);
                }
            }
            frame = queue.recv(), if open && core.wants_frames() => match frame {
                Some(frame) => core.on_frame(frame),
                None => {
                    open = false;
                    core.on_gated();
                }
            },
            () = parts.signal.notify.notified() => {}
            () = sleep_until(&parts.clock, due), if due.is_some() => {}
        }
    }

    queue.close();
    while let Some(frame) = queue.try_recv() {
        core.on_frame(frame);
    }
    parts.status.count_void(&parts.shared, core.take_all());
    while let Some(done) = writes.join_next_with_id().await {
        settle(&parts, &mut in_flight, done);
    }
}

async fn sleep_until(clock: &Clock, due: Option<std::time::Instant>) {
    if let Some(due) = due {
        clock.sleep_until(due).await;
    }
}

/// Resolves or gives up the frames of a batch, says so, and returns its group.
fn settle(
    parts: &WriterParts,
    in_flight: &mut HashMap<task::Id, InFlight>,
    done: Result<(task::Id, Written), task::JoinError>,
) -> Option<u64> {
    let (id, written) = match done {
        Ok(done) => done,
        Err(error) => (error.id(), Written::Refused(panicked(&error))),
    };
    let (group, batch) = in_flight.remove(&id)?;
    match written {
        Written::Durable => {
            let now = parts.clock.now();
            parts.status.count_durable(&parts.shared, &batch, now);
            for frame in batch.frames() {
                frame.resolve();
            }
        }
        Written::Void => parts.status.count_abandoned(&parts.shared, batch.rows()),
        Written::Refused(error) => {
            batch.frames().iter().for_each(Frame::give_up);
            parts.status.count_abandoned(&parts.shared, batch.rows());
            parts.status.set_error(Some(error.to_string()));
            let failure = SinkFailure {
                sink: parts.shared.name,
                shard: parts.shard,
                error,
                token: batch.token().to_owned(),
            };
            if parts.failures.send(failure).is_err() {
                tracing::debug!("the controller has ended before its writer");
            }
        }
    }
    Some(group)
}

/// What a write says whose task panicked: the batch may have been written.
fn panicked(error: &task::JoinError) -> WriteError {
    WriteError {
        class: Class::Bug,
        outcome: Outcome::Unknown,
        code: None,
        text: format!("the sink's write panicked: {error}"),
        hint: String::new(),
    }
}

/// Tries until the batch is durable, refused or void.
async fn write(
    parts: &WriterParts,
    replicas: &Mutex<Replicas>,
    batch: &StdArc<SealedBatch>,
    mut jitter: Jitter,
) -> Written {
    let share_tokens = parts.sink.layout().replicas_share_tokens;
    let mut attempts = Attempts::new(parts.backoff, share_tokens);
    loop {
        if is_over(parts, batch) {
            return Written::Void;
        }
        let began = parts.clock.now();
        let replica = attempts.replica(&mut replicas.lock(), began);
        let attempt = parts.sink.write(parts.shard, replica, StdArc::clone(batch));
        let error = tokio::select! {
            biased;
            written = attempt => {
                let took = parts.clock.now().saturating_duration_since(began);
                parts.status.write_times.add(took);
                match written {
                    Ok(()) => {
                        replicas.lock().succeeded(replica);
                        parts.status.set_error(None);
                        return Written::Durable;
                    }
                    Err(error) => error,
                }
            }
            () = abandoned(parts) => return Written::Void,
        };
        let now = parts.clock.now();
        let next = attempts.failed(replica, &error, &mut replicas.lock(), now, &mut jitter);
        match next {
            Next::Refused => return Written::Refused(error),
            Next::Retry(wait) => {
                parts.status.count_retry(error.to_string());
                if attempts.failures().is_power_of_two() {
                    tracing::warn!(
                        sink = parts.shared.name,
                        shard = parts.shard.0,
                        replica = replica.0,
                        code = error.code,
                        failures = attempts.failures(),
                        wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                        "write failed, will be tried again: {error}"
                    );
                }
                back_off(&parts.clock, &parts.signal, wait, || is_over(parts, batch)).await;
            }
        }
    }
}

/// Whether nobody waits for the batch any more: its epochs ended, or the pipeline gave up.
fn is_over(parts: &WriterParts, batch: &SealedBatch) -> bool {
    parts.signal.abandon.load(Ordering::Acquire)
        || batch.frames().iter().all(|frame| frame.lane.is_void())
}

/// Waits between two attempts: `wait`, or less once `is_over`, which is asked whenever lanes
/// change. A rebalance that does not concern the batch does not hasten its next attempt.
async fn back_off(
    clock: &Clock,
    signal: &WriterSignal,
    wait: Duration,
    is_over: impl Fn() -> bool,
) {
    let waited = clock.sleep_until(clock.now() + wait);
    tokio::pin!(waited);
    loop {
        let changed = signal.waiting.notified();
        if is_over() {
            return;
        }
        tokio::select! {
            biased;
            () = &mut waited => return,
            () = changed => {}
        }
    }
}

/// Returns once the pipeline gives up.
async fn abandoned(parts: &WriterParts) {
    loop {
        let changed = parts.signal.waiting.notified();
        if parts.signal.abandon.load(Ordering::Acquire) {
            return;
        }
        changed.await;
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::cell::Cell;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    /// How long a backoff of an hour takes while lanes change once a minute, and is over at `over`.
    fn backed_off(over: Duration) -> Duration {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime without drivers can be made");
        runtime.block_on(async {
            let (clock, signal) = (Clock::manual(), WriterSignal::default());
            let begin = clock.now();
            let elapsed = || clock.now().duration_since(begin);
            let end = Cell::new(None);
            let wait = async {
                back_off(&clock, &signal, HOUR, || elapsed() >= over).await;
                end.set(Some(elapsed()));
            };
            let rebalances = async {
                while end.get().is_none() {
                    clock.sleep_until(clock.now() + HOUR / 60).await;
                    signal.lanes_changed();
                }
            };
            let both = async { tokio::join!(wait, rebalances) };
            tokio::select! {
                _ = both => end.get().expect("the wait has ended"),
                () = clock.pass_until(begin + 3 * HOUR) => panic!("it waits for more than 3 hours"),
            }
        })
    }

    #[test]
    fn rebalances_do_not_cut_a_backoff_short() {
        assert_eq!(backed_off(Duration::MAX), HOUR);
    }

    #[test]
    fn a_batch_that_nobody_waits_for_ends_its_backoff() {
        assert_eq!(backed_off(HOUR / 6), HOUR / 6);
    }
}
