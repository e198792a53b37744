//! A port: one lane's way into one sink. Routes rows, encodes them into the shard's open frame.
//!
//! Lane thread only. A push always takes its row; a frame whose queue has no room is parked here.
//! Rows for other shards go on meanwhile; once a quarter of the budget is parked
//! ([`PARKED_SHARE`]), the loop yields after the payload in hand.
//!
//! ```text
//! push -> open frame of the shard -> (full, linger, idle, revoke, drain) -> queue
//!                                                              no room   -> parked -> queue
//! ```
//!
//! A frame's mark, the end of its last whole payload, moves when the first row of another payload
//! arrives: what stands behind it belongs to the payload in hand and is cut if that one fails.
//!
//! What a push does for every row is straight: shard, mark, room, row, one compare. Everything rare
//! stands behind two of these: a frame that is not open has no room and is looked at at once, so
//! its first row takes the cold ways that open it.
//!
//! A frame starts with the memory that the frame before it in its shard was handed over with, so
//! that a busy shard copies nothing as it fills one frame after the other; and it is full when
//! another row might not fit `frame_bytes`, so that its last row does not make it grow either.
//!
//! Holds: INV-Q1, INV-Q2, INV-L2.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::frame::Frame;
use super::frame_buf::FrameBuf;
use super::pool::Pool;
use super::row::{Row, RowEncoder};
use crate::id::{Offset, ShardId, SinkId};
use crate::lane::shared::LaneShared;
use crate::ledger::FrameKey;
use crate::queue::{Refused, ShardQueue, Slot};
use crate::sync::{Arc, AtomicU64, Ordering};

/// The part of the budget that one lane may park for one sink before it waits: so much of its rows
/// for other shards pass a shard whose queue is full, and so much is left for other lanes.
pub const PARKED_SHARE: usize = 4;

/// How rows find their shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Route {
    /// By the sink's `key = ..`.
    Key,
    /// One shard per frame after the other.
    RoundRobin,
}

/// What the ports of all lanes into one sink share.
#[derive(Debug)]
pub struct SinkShared {
    /// Which sink.
    pub sink: SinkId,
    /// The name it is declared with.
    pub name: &'static str,
    /// Shape `[shard]`, never empty.
    pub queues: Vec<Arc<ShardQueue>>,
    /// How rows find their shard.
    pub route: Route,
    /// A frame is full when another row might not fit so many bytes; it may pass them by one
    /// payload's rows.
    pub frame_bytes: usize,
    /// How old a frame's first row may grow before the frame is handed over.
    pub linger: Duration,
    /// Whether a batch holds frames of one lane only: the sink deduplicates.
    pub by_lane: bool,
    /// Where frames take their memory.
    pub pool: Arc<Pool>,
    /// Rows that lanes handed over: they end as durable or abandoned.
    pub pushed: AtomicU64,
    /// Rows that a port took and never handed over: their payload failed later, or their lane's
    /// epoch ended.
    pub cut: AtomicU64,
    /// Rows handed over and given up: the epoch ended, the sink refused, the deadline passed.
    pub abandoned: AtomicU64,
    /// Rows that are durable.
    pub durable: AtomicU64,
}

/// The frame of one shard that rows are appended to.
///
/// In the order and alignment that put what every push touches into one cache line.
#[derive(Debug)]
#[repr(C, align(64))]
struct OpenFrame {
    /// Without memory until the first row.
    buf: FrameBuf,
    rows: u32,
    /// Rows before the payload of the last row.
    mark_rows: u32,
    /// The payload of the last row.
    last: Offset,
    /// Length at which to look: not open yet (0), full, or the budget used up.
    look_at: usize,
    /// Bytes before the payload of the last row, and the payload of the row before that.
    mark: usize,
    mark_last: Offset,
    /// `None` until the first row is in.
    entry: Option<Entry>,
}

/// An open frame in the lane's ledger.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: FrameKey,
    first: Offset,
    opened_at: Instant,
}

impl OpenFrame {
    const fn new(buf: FrameBuf) -> Self {
        Self {
            buf,
            rows: 0,
            mark_rows: 0,
            last: Offset(0),
            look_at: 0,
            mark: 0,
            mark_last: Offset(0),
            entry: None,
        }
    }

    /// Takes out what was filled; the next frame starts with memory for `start` bytes.
    fn renew(&mut self, start: usize) -> Self {
        let next = Self::new(self.buf.next(start));
        std::mem::replace(self, next)
    }

    /// Length at which another row like those in it might not fit `frame_bytes`.
    fn full_at(&self, frame_bytes: usize) -> usize {
        let row = self.buf.len() / usize::try_from(self.rows.max(1)).unwrap_or(1);
        frame_bytes.saturating_sub(frame_bytes / 64 + row)
    }

    /// Whether the port has looked and found it full.
    const fn is_full(&self) -> bool {
        self.look_at == usize::MAX
    }
}

/// Why a row could not be encoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The sink's name.
    pub sink: &'static str,
    /// The row type's name.
    pub row: &'static str,
    /// The column, if the encoder named one.
    pub column: Option<&'static str>,
    /// What has no representation.
    pub reason: String,
}

/// The part of a port that does not depend on the encoder.
#[derive(Debug)]
pub struct PortCore {
    shared: Arc<SinkShared>,
    lane: Arc<LaneShared>,
    /// Shape `[shard]`.
    open: Vec<OpenFrame>,
    /// Whether rows find their shard by key: there is more than one.
    by_key: bool,
    modulo: Modulo,
    /// Where rows go that have no key; 0 where there is one shard.
    round_robin: usize,
    /// A frame is full, too much is parked, or a row was refused: look at the end of the payload.
    attention: bool,
    full: bool,
    /// The budget was used up when a frame opened or grew.
    gated: bool,
    /// Shape `[shard]`: frames whose queue had no room, oldest first.
    parked: Vec<VecDeque<Frame>>,
    /// How many, and their memory, over all shards.
    parked_frames: usize,
    parked_bytes: usize,
    fault: Option<Fault>,
    now: Instant,
    slot: Slot,
}

/// One lane's way into one sink.
#[derive(Debug)]
pub struct Port<E> {
    core: PortCore,
    encoder: E,
}

impl<E: RowEncoder> Port<E> {
    /// Makes a port; nothing is allocated for a shard before its first row.
    #[must_use]
    pub fn new(shared: Arc<SinkShared>, lane: Arc<LaneShared>, slot: Slot, now: Instant) -> Self {
        let shards = shared.queues.len();
        let core = PortCore {
            open: (0..shards)
                .map(|_| OpenFrame::new(FrameBuf::new(Arc::clone(&shared.pool))))
                .collect(),
            by_key: shards > 1 && shared.route == Route::Key,
            modulo: Modulo::new(shards),
            shared,
            lane,
            round_robin: 0,
            attention: false,
            full: false,
            gated: false,
            parked: (0..shards).map(|_| VecDeque::new()).collect(),
            parked_frames: 0,
            parked_bytes: 0,
            fault: None,
            now,
            slot,
        };
        Self { core, encoder: E::default() }
    }

    /// Takes a row of the payload at `at`: routes it and encodes it into its shard's open frame.
    ///
    /// Never waits and never refuses. A row the format has no representation for is cut again and
    /// remembered: the lane stops before this payload.
    #[inline]
    pub fn push<R: Row>(&mut self, row: &R, at: Offset, shard_hash: impl FnOnce(&R) -> u64) {
        let core = &mut self.core;
        let shard = if core.by_key { core.modulo.of(shard_hash(row)) } else { core.round_robin };
        // INV-Q1: the index is checked.
        let open = &mut core.open[shard];
        let before = open.buf.len();
        if open.last != at {
            open.mark = before;
            open.mark_rows = open.rows;
            open.mark_last = open.last;
            open.last = at;
        }
        match self.encoder.encode(row, &mut open.buf) {
            Ok(()) => {
                open.rows += 1;
                if open.buf.len() >= open.look_at {
                    core.look(shard, at);
                }
            }
            Err(error) => {
                open.buf.truncate(before);
                core.refuse(R::NAME, &error);
            }
        }
    }

    /// The part that does not depend on the encoder.
    pub fn core_mut(&mut self) -> &mut PortCore {
        &mut self.core
    }

    /// Whether the end of the payload has something to do here.
    #[inline]
    #[must_use]
    pub const fn attention(&self) -> bool {
        self.core.attention
    }
}

impl PortCore {
    /// Opens a frame behind its first row, at `at`; looks whether it is full or the budget used up,
    /// and when to look again.
    #[cold]
    #[inline(never)]
    fn look(&mut self, shard: usize, at: Offset) {
        let open = &mut self.open[shard];
        if open.entry.is_none() {
            open.entry = Some(Entry { key: self.lane.open(at), first: at, opened_at: self.now });
        }
        let (len, full_at) = (open.buf.len(), open.full_at(self.shared.frame_bytes));
        if len >= full_at {
            open.look_at = usize::MAX;
            self.full = true;
            self.attention = true;
        } else {
            open.look_at = full_at.min(open.buf.capacity().max(len + 1));
        }
        if self.shared.pool.is_over_budget() {
            self.gated = true;
            self.attention = true;
        }
    }

    #[cold]
    fn refuse(&mut self, row: &'static str, error: &super::row::EncodeError) {
        self.attention = true;
        self.fault.get_or_insert_with(|| Fault {
            sink: self.shared.name,
            row,
            column: error.column(),
            reason: error.to_string(),
        });
    }

    /// The end of a payload that wants attention: hands over full frames.
    ///
    /// Returns whether the loop must yield: too much is parked, the budget is used up, or a row was
    /// refused.
    #[cold]
    pub fn end_of_payload(&mut self) -> bool {
        if self.full {
            self.full = false;
            for shard in 0..self.open.len() {
                if self.open[shard].is_full() {
                    self.hand_over(shard);
                }
            }
        }
        self.attend();
        self.attention || std::mem::take(&mut self.gated)
    }

    /// Hands over every open frame; all payloads are whole.
    pub fn hand_over_all(&mut self) {
        for shard in 0..self.open.len() {
            self.hand_over(shard);
        }
        self.attend();
    }

    /// Hands over the open frames whose first row is as old as the linger.
    pub fn hand_over_due(&mut self) {
        for shard in 0..self.open.len() {
            let due = |entry: Entry| self.now >= entry.opened_at + self.shared.linger;
            if self.open[shard].entry.is_some_and(due) {
                self.hand_over(shard);
            }
        }
        self.attend();
    }

    /// When the oldest open frame comes due; `None` if none is open.
    #[must_use]
    pub fn due_at(&self) -> Option<Instant> {
        self.open
            .iter()
            .filter_map(|open| open.entry)
            .map(|entry| entry.opened_at + self.shared.linger)
            .min()
    }

    fn attend(&mut self) {
        self.attention = self.is_overfull() || self.fault.is_some();
    }

    /// Cuts the rows of the payload in hand: they stand behind the mark of frames that end in it.
    ///
    /// Frames without a whole payload are given up; their ledger entries resolve, and the lane's
    /// position, which never passed the payload in hand, holds the watermark.
    pub fn cut(&mut self, in_hand: Offset) {
        for open in &mut self.open {
            if open.last != in_hand {
                continue;
            }
            let cut = u64::from(open.rows - open.mark_rows);
            self.shared.cut.fetch_add(cut, Ordering::Relaxed);
            open.buf.truncate(open.mark);
            open.rows = open.mark_rows;
            open.last = open.mark_last;
            if open.rows == 0 {
                let given_up = open.renew(0);
                if let Some(entry) = given_up.entry {
                    self.lane.resolve(entry.key);
                }
            }
        }
    }

    /// Offers parked frames again, oldest first; whether none is left.
    pub fn offer_parked(&mut self) -> bool {
        if self.is_parked() {
            for shard in 0..self.parked.len() {
                while let Some(frame) = self.parked[shard].pop_front() {
                    let bytes = frame.buf.capacity();
                    if let Some(frame) = self.refused(frame) {
                        self.parked[shard].push_front(frame);
                        break;
                    }
                    self.parked_frames -= 1;
                    self.parked_bytes -= bytes;
                }
            }
            self.attend();
        }
        !self.is_parked()
    }

    /// Gives up everything not handed over, and counts it: the lane's epoch is over.
    pub fn abandon(&mut self) {
        let open = self
            .open
            .iter_mut()
            .map(|open| u64::from(open.renew(0).rows));
        let open: u64 = open.sum();
        let parked: u64 = self
            .parked
            .iter_mut()
            .flat_map(|parked| parked.drain(..))
            .map(|frame| u64::from(frame.rows))
            .sum();
        self.parked_frames = 0;
        self.parked_bytes = 0;
        self.shared.pushed.fetch_add(open, Ordering::Relaxed);
        self.shared
            .abandoned
            .fetch_add(open + parked, Ordering::Relaxed);
        self.attend();
    }

    /// Sets the time that frames opened from now on were opened at.
    pub fn set_now(&mut self, now: Instant) {
        self.now = now;
    }

    /// Takes the reason out, and with it the row's claim on the loop.
    pub fn take_fault(&mut self) -> Option<Fault> {
        let fault = self.fault.take();
        self.attend();
        fault
    }

    /// Whether frames wait here because their queue has no room.
    #[must_use]
    pub const fn is_parked(&self) -> bool {
        self.parked_frames > 0
    }

    /// Whether so much is parked that the lane is to wait: below that, a shard whose queue is full
    /// holds up no row of another shard.
    #[must_use]
    pub fn is_overfull(&self) -> bool {
        self.parked_bytes > self.shared.pool.budget() / PARKED_SHARE
    }

    /// Why a row could not be encoded, if one could not.
    #[must_use]
    pub const fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    fn hand_over(&mut self, shard: usize) {
        let open = &mut self.open[shard];
        let Some(Entry { key, first, opened_at }) = open.entry else { return };
        let OpenFrame { buf, rows, last, .. } = open.renew(open.buf.len());
        if self.shared.route == Route::RoundRobin {
            self.round_robin = (self.round_robin + 1) % self.open.len();
        }
        self.shared
            .pushed
            .fetch_add(u64::from(rows), Ordering::Relaxed);
        let frame = Frame {
            buf,
            lane: Arc::clone(&self.lane),
            key,
            sink: self.shared.sink,
            shard: ShardId(shard),
            rows,
            first,
            last,
            opened_at,
            group: if self.shared.by_lane { self.lane.epoch.0 } else { 0 },
        };
        self.offer(frame);
    }

    /// Offers a frame, or parks it behind those of its shard: none may pass another.
    fn offer(&mut self, frame: Frame) {
        let shard = frame.shard.0;
        let frame = if self.parked[shard].is_empty() { self.refused(frame) } else { Some(frame) };
        if let Some(frame) = frame {
            self.parked_frames += 1;
            self.parked_bytes += frame.buf.capacity();
            self.parked[shard].push_back(frame);
        }
    }

    /// Offers a frame to its queue; gives back what that refused (INV-Q2).
    fn refused(&self, frame: Frame) -> Option<Frame> {
        match self.shared.queues[frame.shard.0].offer(frame, &self.slot) {
            Ok(()) => None,
            Err(Refused::Full(frame) | Refused::Closed(frame)) => Some(frame),
        }
    }
}

/// An exact modulo by a number fixed at start, without a division.
///
/// Source: Lemire, Kaser, Kurz, "Faster remainder by direct computation" (2019), for 32-bit
/// numerators: the hash is folded to 32 bits first.
#[derive(Clone, Copy, Debug)]
struct Modulo {
    divisor: u64,
    reciprocal: u64,
}

impl Modulo {
    fn new(divisor: usize) -> Self {
        let divisor = divisor.max(1) as u64;
        Self { divisor, reciprocal: (u64::MAX / divisor).wrapping_add(1) }
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "folded to 32 bits; the result is < divisor"
    )]
    fn of(self, hash: u64) -> usize {
        let folded = u64::from((hash ^ (hash >> 32)) as u32);
        let low = self.reciprocal.wrapping_mul(folded);
        ((u128::from(low) * u128::from(self.divisor)) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// Holds INV-Q1: a shard is always one of those there are, and the same one.
        #[test]
        fn the_modulo_agrees_with_a_division(divisor in 1..5_000usize, hash: u64) {
            let folded = (hash ^ (hash >> 32)) & u64::from(u32::MAX);
            let expected = folded % divisor as u64;
            proptest::prop_assert_eq!(Modulo::new(divisor).of(hash) as u64, expected);
        }
    }

    #[test]
    fn the_modulo_is_exact() {
        for divisor in [1usize, 2, 3, 5, 7, 64, 1000, 1 << 20] {
            let modulo = Modulo::new(divisor);
            for hash in [0u64, 1, 63, 64, 1 << 31, u64::from(u32::MAX), 0x9e37_79b9_7f4a_7c15] {
                let folded = (hash ^ (hash >> 32)) & u64::from(u32::MAX);
                assert_eq!(modulo.of(hash) as u64, folded % divisor as u64, "{hash} % {divisor}");
            }
        }
    }
}
