//! One partition in one assignment: batches of messages that stay where librdkafka put them.
//!
//! ```text
//! fill:     take up to batch_max message pointers -> slots borrow value and key from them
//! batch:    lends the slots
//! release:  clears the slots, then destroys the messages
//! ```
//!
//! Runs on a lane thread and never waits. Nothing is allocated and no byte is copied in steady
//! state: the array of pointers and the slots are made once.
//!
//! A waker is registered from the first moment on, and librdkafka calls it under the queue's lock
//! whenever the queue stops being empty. A fill that found the queue empty held that same lock:
//! whatever arrives later finds an empty queue and calls the waker. There is no edge to miss.

#![expect(unsafe_code, reason = "payloads borrow from messages that the lane itself destroys")]

use std::cell::RefCell;
use std::ffi::CString;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rdkafka_sys as rd;
use rdkafka_sys::rd_kafka_resp_err_t as E;
use spate_runtime::batch::{Batch, HeaderReader, Payload, PayloadSlots};
use spate_runtime::error::SourceError;
use spate_runtime::id::{NextOffset, Offset, Partition};
use spate_runtime::lane::source::{Filled, Lane, LaneWaker};

use crate::error;
use crate::start::out_of_range_error;
use crate::sys::{List, Message, Queue};
use crate::waker::WakerCell;

/// What a lane tells the control plane, and anyone who feeds it.
#[derive(Debug, Default)]
pub(crate) struct LaneReport {
    /// Everything below was taken and released.
    next: AtomicU64,
    ended: AtomicBool,
    /// Whether the log no longer has what the lane would read next. A lane never waits, so it does
    /// not ask for the log's ends: the control plane does, and wakes it.
    is_overrun: AtomicBool,
    /// The answer: where the log begins and ends.
    log: Mutex<Option<(u64, u64)>>,
    /// From which offset on records were written under which leader epoch; rises in both.
    leaders: Mutex<Vec<(u64, i32)>>,
}

impl LaneReport {
    /// The offset behind everything that was worked on and released.
    #[cfg_attr(not(feature = "embedded"), expect(dead_code, reason = "paces the embedded broker"))]
    pub(crate) fn next(&self) -> u64 {
        self.next.load(Ordering::Acquire)
    }

    /// Whether a bounded lane gave out everything.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Under which leader epoch the record before `watermark` was written.
    pub(crate) fn leader_epoch_before(&self, watermark: u64) -> Option<i32> {
        let leaders = self.leaders.lock().unwrap_or_else(PoisonError::into_inner);
        leaders
            .iter()
            .rev()
            .find(|(from, _)| *from < watermark)
            .map(|(_, epoch)| *epoch)
    }

    /// Whether the lane waits to be told where its log begins and ends.
    pub(crate) fn asks_for_log(&self) -> bool {
        self.is_overrun.load(Ordering::Acquire) && self.log().is_none()
    }

    /// Tells an overrun lane where its log begins and ends; who tells it wakes it.
    pub(crate) fn tell_log(&self, start: u64, end: u64) {
        *self.log() = Some((start, end));
    }

    fn log(&self) -> MutexGuard<'_, Option<(u64, u64)>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_leader(&self, from: u64, epoch: i32) {
        let mut leaders = self.leaders.lock().unwrap_or_else(PoisonError::into_inner);
        if leaders.len() == LEADERS_MAX {
            leaders.remove(0);
        }
        leaders.push((from, epoch));
    }
}

/// Changes of leader that are remembered, for commits that lag behind.
const LEADERS_MAX: usize = 32;

/// What a lane is made of.
pub(crate) struct LaneSeed {
    pub(crate) partition: Partition,
    pub(crate) topic: CString,
    pub(crate) epoch: u64,
    pub(crate) start: u64,
    /// Where a bounded run ends, exclusive.
    pub(crate) until: Option<u64>,
    /// Whether the client marks the ends of logs.
    pub(crate) marks_end: bool,
    pub(crate) batch_max: usize,
    pub(crate) queue: Queue,
    pub(crate) cell: Arc<WakerCell>,
    pub(crate) state: Arc<LaneReport>,
    /// Makes the control plane look at `state`.
    pub(crate) look: Box<dyn Fn() + Send>,
    /// Called after a release; wakes whoever feeds the partition.
    pub(crate) released: Option<LaneWaker>,
}

/// A partition's lane.
pub(crate) struct KafkaLane {
    /// Borrow from `messages`: cleared before any of those is destroyed.
    slots: PayloadSlots,
    /// Taken and not destroyed yet: the first `taken` of the room.
    messages: Box<[*mut rd::rd_kafka_message_t]>,
    taken: usize,
    seed: LaneSeed,
    /// Behind the last payload given out.
    next: u64,
    /// Where the end of the log was seen (bounded runs only).
    end_seen: Option<u64>,
    leader_epoch: i32,
    /// Where the client stands; one entry, made once.
    position: RefCell<List>,
    failed: Option<Failure>,
    /// Where the lane waits for the control plane to tell what the log has.
    overrun: Option<u64>,
}

/// Why the lane cannot go on.
struct Failure {
    code: crate::sys::Code,
    text: String,
}

// SAFETY: the raw message pointers are owned by the lane alone, librdkafka's messages may be read
// and destroyed on any thread, and every other field is `Send`.
unsafe impl Send for KafkaLane {}

impl fmt::Debug for KafkaLane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KafkaLane")
            .field("partition", &self.seed.partition)
            .field("next", &self.next)
            .field("taken", &self.taken)
            .finish_non_exhaustive()
    }
}

impl KafkaLane {
    /// Makes a lane; nothing was taken yet.
    pub(crate) fn new(seed: LaneSeed) -> Self {
        let mut position = List::new(1);
        let id = i32::try_from(seed.partition.id).unwrap_or(i32::MAX);
        position.add(&seed.topic, id, 0);
        seed.state.next.store(seed.start, Ordering::Release);
        Self {
            slots: PayloadSlots::with_capacity(seed.batch_max),
            messages: vec![std::ptr::null_mut(); seed.batch_max].into_boxed_slice(),
            taken: 0,
            next: seed.start,
            end_seen: None,
            leader_epoch: -1,
            position: RefCell::new(position),
            failed: None,
            overrun: None,
            seed,
        }
    }

    /// Takes what is there into the slots; whether anything was.
    fn take(&mut self) -> Result<bool, SourceError> {
        self.taken = self.seed.queue.take(&mut self.messages).map_err(|code| {
            error::source_error(code, format!("could not read partition `{}`", self.seed.partition))
        })?;
        for index in 0..self.taken {
            // SAFETY: written by `take`, destroyed in `drop_messages` only, which runs after the
            // slots were cleared.
            let message = unsafe { Message::new(self.messages[index]) };
            if message.code() != crate::sys::Code::OK {
                if !self.note_error(message) {
                    break;
                }
                continue;
            }
            let Ok(offset) = u64::try_from(message.offset()) else { continue };
            // After a pause the client may bring again what was taken while it paused.
            if offset < self.next {
                continue;
            }
            if self.seed.until.is_some_and(|until| offset >= until) {
                self.end_seen = Some(offset);
                break;
            }
            self.push(message, offset, index);
        }
        Ok(self.taken > 0)
    }

    fn push(&mut self, message: Message, offset: u64, token: usize) {
        let timestamp = message.timestamp();
        // SAFETY: the bytes belong to the message, which is destroyed in `drop_messages` only;
        // that clears the slots first, and so does the drop of the lane.
        unsafe {
            self.slots.push(Payload {
                value: message.value(),
                key: message.key(),
                offset: Offset(offset),
                timestamp_ms: if timestamp < 0 { i64::MIN } else { timestamp },
                token,
            });
        }
        let epoch = message.leader_epoch();
        if epoch > self.leader_epoch {
            self.leader_epoch = epoch;
            self.seed.state.note_leader(offset, epoch);
        }
        self.next = offset + 1;
    }

    /// Takes note of an error among the messages; whether the lane goes on.
    fn note_error(&mut self, message: Message) -> bool {
        let code = message.code();
        if code.is(E::RD_KAFKA_RESP_ERR__PARTITION_EOF) {
            self.end_seen = u64::try_from(message.offset()).ok().or(self.end_seen);
            return true;
        }
        if PASSING.iter().any(|passing| code.is(*passing)) {
            tracing::warn!(partition = %self.seed.partition, %code, "fetch failed, going on");
            return true;
        }
        if code.is(E::RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
            let at = u64::try_from(message.offset()).map_or(self.next, |at| at.max(self.next));
            self.seed.state.is_overrun.store(true, Ordering::Release);
            (self.seed.look)();
            self.overrun = Some(at);
            return false;
        }
        let text = message.error_text();
        self.failed = Some(Failure { code, text });
        false
    }

    fn failure(&self, failure: &Failure) -> SourceError {
        let Failure { code, text } = failure;
        let partition = &self.seed.partition;
        error::source_error(
            *code,
            format!("partition `{partition}` cannot be read beyond offset {}: {text}", self.next),
        )
    }

    /// Clears the slots, then destroys the messages they borrowed from.
    fn drop_messages(&mut self) {
        self.slots.clear();
        for message in &self.messages[..std::mem::take(&mut self.taken)] {
            // SAFETY: taken from the queue and not destroyed before: `taken` is 0 from here on.
            // The slots, the only borrowers, are empty.
            unsafe { Message::new(*message).destroy() };
        }
    }

    fn is_at_end(&self) -> bool {
        self.seed
            .until
            .is_some_and(|until| self.next >= until || self.end_seen >= Some(until))
    }
}

impl Lane for KafkaLane {
    fn fill(&mut self) -> Result<Filled, SourceError> {
        assert!(self.taken == 0, "a lane is filled only after its batch was released");
        loop {
            if let Some(failure) = &self.failed {
                return Err(self.failure(failure));
            }
            if let Some(at) = self.overrun {
                return match *self.seed.state.log() {
                    Some((start, end)) => {
                        Err(out_of_range_error(&self.seed.partition, at, start, end))
                    }
                    None => Ok(Filled::Empty),
                };
            }
            if self.is_at_end() {
                if !self.seed.state.ended.swap(true, Ordering::AcqRel) {
                    (self.seed.look)();
                }
                return Ok(Filled::Ended);
            }
            if !self.take()? {
                return Ok(Filled::Empty);
            }
            if !self.slots.as_slice().is_empty() {
                return Ok(Filled::Payloads);
            }
            self.drop_messages();
        }
    }

    fn batch(&self) -> Batch<'_> {
        Batch::new(self.slots.as_slice(), &self.seed.partition, Some(self))
    }

    fn release(&mut self) {
        self.drop_messages();
        self.seed.state.next.store(self.next, Ordering::Release);
        if let Some(released) = &self.seed.released {
            released();
        }
    }

    fn set_waker(&mut self, waker: LaneWaker) {
        self.seed.cell.set(self.seed.epoch, Arc::clone(&waker));
        // What arrived before had nobody to call.
        if !self.seed.queue.is_empty() {
            waker();
        }
    }

    fn position(&self) -> Option<NextOffset> {
        if self.taken > 0 {
            return None;
        }
        let mut list = self.position.borrow_mut();
        let told = self
            .seed
            .queue
            .client()
            .position(&mut list)
            .ok()
            .and_then(|()| list.first_offset())
            .and_then(|offset| u64::try_from(offset).ok());
        // The client counts a mark as one offset too many: there, the mark's own offset is right.
        let told = if self.seed.marks_end { self.end_seen } else { told };
        told.filter(|told| *told > self.next).map(NextOffset)
    }
}

impl HeaderReader for KafkaLane {
    fn headers(&self, token: usize, each: &mut dyn FnMut(&str, Option<&[u8]>)) {
        let Some(message) = self.messages[..self.taken].get(token) else { return };
        // SAFETY: one of the taken messages, which are alive until the next release; the lane is
        // not `Sync` (it holds raw pointers), so no other thread parses these headers.
        unsafe { Message::new(*message).headers(each) }
    }
}

impl Drop for KafkaLane {
    fn drop(&mut self) {
        self.drop_messages();
        self.seed.cell.clear(self.seed.epoch);
    }
}

/// What a fetch may say and the client gets over by itself.
const PASSING: &[E] = &[
    E::RD_KAFKA_RESP_ERR__TRANSPORT,
    E::RD_KAFKA_RESP_ERR__TIMED_OUT,
    E::RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION,
    E::RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC,
    E::RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED,
    E::RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART,
    E::RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE,
    E::RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
    E::RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
    E::RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE,
    E::RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE,
    E::RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR,
    E::RD_KAFKA_RESP_ERR_UNKNOWN,
];
