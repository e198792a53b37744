//! The observers: what must hold, computed from the logs and the server alone.
//!
//! None of them asks the engine what it thinks is durable: a row is when the server has it.

use std::collections::BTreeMap;
use std::str::FromStr as _;

use super::chain::{row_len, rows_of};
use super::server::Wire;
use super::world::World;
use crate::chain::shard_key::ShardKey as _;
use crate::id::{ReplicaId, ShardId};
use crate::lane::source::Commit;
use crate::ledger::NoteBook;
use crate::sink::SealedBatch;

impl World {
    /// The highest watermark that passes no row that is not durable.
    pub(super) fn limit(&self, partition: u32) -> u64 {
        let log = &self.logs[partition as usize];
        log.payloads
            .get(log.solid)
            .map_or(log.end, |stored| stored.offset)
    }

    /// Moves the durable prefix of a log on.
    pub(super) fn look_solid(&mut self, partition: u32) {
        let Self { logs, server, .. } = self;
        let log = &mut logs[partition as usize];
        while let Some(stored) = log.payloads.get(log.solid) {
            let rows = rows_of(stored.kind, partition, stored.offset);
            if !rows
                .iter()
                .all(|(sink, row)| server.tables[*sink].rows.contains_key(row))
            {
                break;
            }
            log.solid += 1;
        }
    }

    /// INV-W1, INV-W2 at the broker: a commit passes nothing that is not durable, and never goes
    /// back: an epoch begins at what was committed before it.
    pub(super) fn observe_commit(&mut self, process: u64, commit: &Commit) {
        let (partition, watermark) = (commit.partition.id, commit.watermark.0);
        let limit = self.limit(partition);
        if watermark > limit {
            self.violation(format!(
                "INV-W1: committed {watermark} of {partition}, durable {limit}"
            ));
        }
        let before = self.logs[partition as usize].committed.clone();
        if let Some((before, note)) = before {
            if watermark < before {
                self.violation(format!(
                    "INV-W2: committed {watermark} of {partition} after {before}"
                ));
            }
            if note != commit.note {
                self.violation(format!("the note of {partition} became {:?}", commit.note));
            }
        }
        self.tell_history(format!("{process} commits {watermark} of {partition}"));
        self.logs[partition as usize].committed = Some((watermark, commit.note.clone()));
    }

    /// A write begins: INV-S1, INV-S2, INV-S3, INV-Q1, INV-A2, INV-L2, and the token's promises.
    pub(super) fn observe_write(
        &mut self,
        process: u64,
        sink: usize,
        shard: ShardId,
        replica: ReplicaId,
        batch: &SealedBatch,
    ) -> Wire {
        let layout = self.server.tables[sink].layout.clone();
        let token = batch.token().to_owned();
        let group = if layout.deduplicates { batch.frames()[0].lane().epoch.0 } else { 0 };
        let mut broken = Vec::new();

        let mut rows = Vec::new();
        // By epoch: the first offset of its frames in this batch, and the last.
        let mut ranges: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for frame in batch.frames() {
            let (epoch, partition) = (frame.lane().epoch.0, frame.lane().partition.id);
            if layout.deduplicates && epoch != group {
                broken.push(format!("INV-S1: {token} holds two lanes"));
            }
            let (first, last) = (frame.first().0, frame.last().0);
            let range = ranges.entry(epoch).or_insert((first, first));
            if range.1 > first || range.1 == first && rows.iter().any(|(_, of)| *of == epoch) {
                broken.push(format!("INV-S1: {} before {first} in {token}", range.1));
            }
            range.1 = last;
            let (mut bytes, mut count) = (frame.bytes(), 0);
            while let Some((head, _)) = bytes.split_first_chunk() {
                let row = u64::from_le_bytes(*head);
                bytes = bytes.get(row_len(row)..).unwrap_or_default();
                let offset = row >> 8 & 0xffff_ffff;
                if offset < first || offset > last || row >> 40 != u64::from(partition) {
                    broken.push(format!("row {row:#x} in {frame:?}"));
                }
                if self.traps.contains_key(&(partition, offset)) {
                    broken.push(format!("INV-L2: a row of the failing payload {offset}"));
                }
                rows.push((row, epoch));
                count += 1;
            }
            if count != frame.rows() {
                broken.push(format!("{count} rows in {frame:?}"));
            }
            let committed = self.logs[partition as usize].committed.as_ref();
            let known = committed.and_then(|(_, note)| NoteBook::from_str(&note.0).ok());
            if known.map(|book| book.incarnation) != Some(frame.lane().incarnation) {
                broken.push(format!("{token} was sent before its incarnation was committed"));
            }
            if !frame.lane().is_void()
                && self
                    .start_of(process, partition)
                    .is_some_and(|start| first < start)
            {
                broken.push(format!("{token} lies below the start of its epoch"));
            }
        }
        if batch.frames().iter().all(|frame| frame.lane().is_void()) {
            broken.push(format!("INV-A2: {token} of an ended epoch was sent"));
        }
        if sink == 0 {
            let place = |row: u64| {
                let hash = row.shard_hash();
                (hash ^ hash >> 32) % (1 << 32) % layout.replicas.len() as u64
            };
            if rows.iter().any(|(row, _)| place(*row) != shard.0 as u64) {
                broken.push(format!("INV-Q1: a row of another shard in {token}"));
            }
        }

        let joined: Vec<u8> = batch.chunks().flatten().copied().collect();
        let known = self.server.bytes_of.entry(token.clone());
        if *known.or_insert_with(|| joined.clone()) != joined {
            broken.push(format!("{token} was sent with other bytes"));
        }
        let held = self.server.held.get(&(process, group, token.clone()));
        let elsewhere = held.is_some_and(|held| *held != replica.0);
        if elsewhere && !layout.replicas_share_tokens {
            broken.push(format!("INV-S2: {token} is held by {held:?}, tried at {replica:?}"));
        }
        let again = !self.server.tried.insert((process, token.clone(), group));
        for (epoch, (first, last)) in ranges {
            let begun = self
                .server
                .begun
                .entry((process, sink, shard.0, epoch))
                .or_default();
            if !again && begun.is_some_and(|begun| begun >= first) {
                broken.push(format!("INV-S3: {token} begins behind {begun:?}"));
            }
            *begun = (*begun).max(Some(last));
        }
        let limit = self.inflight_of(process, sink);
        let writing = self
            .server
            .writing
            .entry((process, sink, shard.0, group))
            .or_default();
        writing.push(token.clone());
        if writing.len() > limit {
            broken.push(format!("INV-S3: {} writes of one group at a time", writing.len()));
        }

        self.tell_history(format!("{process} writes {token} to {sink}/{}/{}", shard.0, replica.0));
        broken.into_iter().for_each(|text| self.violation(text));
        let (shard, replica, at) = (shard.0, replica.0, self.now);
        Wire { at, process, group, sink, shard, replica, token, rows }
    }

    pub(super) fn is_written(&mut self, wire: &Wire) {
        let key = (wire.process, wire.sink, wire.shard, wire.group);
        if let Some(writing) = self.server.writing.get_mut(&key) {
            let at = writing.iter().position(|token| *token == wire.token);
            at.map(|at| writing.remove(at));
        }
    }

    /// A batch lands. Within an epoch no row lands twice, unless the sink has no deduplication and
    /// a reply was lost (INV-S2).
    pub(super) fn land(&mut self, wire: &Wire) {
        let table = &mut self.server.tables[wire.sink];
        let log = if table.layout.replicas_share_tokens { 0 } else { wire.replica };
        let known = !table.tokens.insert((wire.shard, log, wire.token.clone()));
        if known && table.layout.deduplicates {
            self.see("duplicate dropped by its token");
            return;
        }
        let allowed = if table.layout.deduplicates {
            0
        } else {
            self.server.unknown.get(&wire.token).copied().unwrap_or(0)
        };
        let mut twice = None;
        for (row, epoch) in &wire.rows {
            let by = (wire.process, *epoch);
            let landings = table.rows.entry(*row).or_default();
            if landings.iter().filter(|landing| **landing == by).count() > allowed {
                twice = Some(*row);
            }
            landings.push(by);
        }
        if let Some(row) = twice {
            self.violation(format!(
                "INV-S2: row {row:#x} landed twice in one epoch: {}",
                wire.token
            ));
        }
        self.tell_history(format!("{} lands", wire.token));
        let partitions = self.logs.len();
        (0..)
            .take(partitions)
            .for_each(|partition| self.look_solid(partition));
    }

    /// At the end: every record of every log is there, and no row that none stands for.
    pub(super) fn observe_end(&mut self) {
        let mut expected = [(); 3].map(|()| std::collections::BTreeSet::new());
        for (log, partition) in self.logs.iter().zip(0..) {
            for stored in &log.payloads {
                for (sink, row) in rows_of(stored.kind, partition, stored.offset) {
                    expected[sink].insert(row);
                }
            }
        }
        for (sink, expected) in expected.iter().enumerate() {
            let rows = &self.server.tables[sink].rows;
            let lost = expected.iter().find(|row| !rows.contains_key(row)).copied();
            let made = rows.keys().find(|row| !expected.contains(row)).copied();
            if lost.is_some() || made.is_some() {
                self.violation(format!("sink {sink}: lost {lost:?}, made up {made:?}"));
            }
        }
    }
}
