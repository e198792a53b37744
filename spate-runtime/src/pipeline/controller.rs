//! The controller: one thread that keeps the sources' control planes polled whatever the pressure.
//!
//! A shell around pure cores: `Assignments` (lanes on their way out), `CommitSchedule` (when to
//! commit what). Each turn it takes requests, what lanes and writers told, and the events of the
//! sources, feeds the cores and carries out what they return.
//!
//! Holds: INV-W1, INV-W2, INV-L4.

#[cfg(all(test, not(loom)))]
mod sim;

use std::collections::BTreeMap;
use std::sync::Arc as StdArc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::definition::BuildChain;
use super::status::{LaneView, Phase, SharedStatus};
use crate::chain::cx::LaneCx;
use crate::chain::lane_chain::LaneSeed;
use crate::chain::skip_log::Skips;
use crate::clock::Clock;
use crate::config::PipelineSettings;
use crate::error::{Class, SourceError, chain_text};
use crate::graph::Graph;
use crate::id::{Epoch, Partition, Watermark};
use crate::lane::assign::{Assignments, Effect, Release};
use crate::lane::drive::{LaneDriver, LaneParts};
use crate::lane::shared::{LaneShared, LaneState};
use crate::lane::source::{Assigned, Commit, Source, SourceEvent};
use crate::lane::thread::{LaneCommand, LaneEvent, LaneThread};
use crate::ledger::{CommitSchedule, Incarnation, NoteBook};
use crate::lookup::Loader;
use crate::preflight::{Findings, Severity};
use crate::sink::worker::{SinkFailure, WriterParts, WriterSignal};
use crate::sync::{Arc, AtomicU8, Ordering};

/// How long a turn waits for the sources while nothing is on its way out, and while something is.
const TURN: Duration = Duration::from_millis(50);
const TURN_BUSY: Duration = Duration::from_millis(5);

/// How long a start waits between two looks at a side that does not answer, at first and at most.
const REACH_FIRST: Duration = Duration::from_millis(500);
const REACH_CAP: Duration = Duration::from_secs(10);

/// The waits before the last commit of a partition is repeated: a coordinator that moves answers
/// again within a second or so.
const LAST_COMMIT_WAITS: [Duration; 5] = [
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
];

/// What others ask of the controller.
#[derive(Debug, Default)]
pub(crate) struct Requests(AtomicU8);

impl Requests {
    pub(crate) fn drain(&self) {
        self.0.fetch_max(1, Ordering::AcqRel);
    }

    pub(crate) fn abort(&self) {
        self.0.fetch_max(2, Ordering::AcqRel);
    }

    fn wants_drain(&self) -> bool {
        self.0.load(Ordering::Acquire) >= 1
    }

    fn wants_abort(&self) -> bool {
        self.0.load(Ordering::Acquire) >= 2
    }
}

/// How a pipeline ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Everything read is durable and committed.
    Drained,
    /// The drain's deadline passed with rows that are not durable: they will be read again.
    DeadlinePassed,
    /// Something stopped it; the status says what.
    Failed,
}

/// A pipeline that has ended.
#[derive(Debug)]
pub struct Ended {
    /// How.
    pub outcome: Outcome,
    /// What the last preflight found.
    pub findings: Findings,
    /// Everything it showed.
    pub status: SharedStatus,
}

/// What a controller is made from.
pub(crate) struct ControllerParts {
    pub(crate) graph: &'static Graph,
    pub(crate) settings: PipelineSettings,
    pub(crate) sources: Vec<Box<dyn Source>>,
    pub(crate) chains: Vec<BuildChain>,
    pub(crate) lookups: Vec<Loader>,
    pub(crate) io: tokio::runtime::Runtime,
    pub(crate) writers: Vec<WriterParts>,
    pub(crate) signals: StdArc<[Arc<WriterSignal>]>,
    pub(crate) threads: Vec<LaneThread>,
    pub(crate) lane_events: Receiver<LaneEvent>,
    pub(crate) sink_failures: Receiver<SinkFailure>,
    pub(crate) requests: StdArc<Requests>,
    pub(crate) status: SharedStatus,
    pub(crate) clock: Clock,
    pub(crate) skips: Option<Skips>,
}

/// A partition whose incarnation is not committed yet: its lane waits for that.
struct Pending {
    source: usize,
    assigned: Assigned,
    incarnation: Incarnation,
    /// Whether the incarnation has to be committed before the lane starts.
    is_new: bool,
}

/// What the controller keeps of a running lane, beside what it shows.
struct Running {
    source: usize,
    shared: Arc<LaneShared>,
    thread: usize,
    ended: bool,
    /// When its watermark or position moved last, and to where.
    moved: (Instant, Watermark, u64),
    blocked_since: Option<Instant>,
    paused: bool,
    stall_told: bool,
}

pub(crate) struct Controller {
    parts: ControllerParts,
    writers: JoinSet<()>,
    lanes: BTreeMap<Epoch, Running>,
    assignments: Assignments,
    commits: CommitSchedule,
    pending: Vec<Pending>,
    epochs: u64,
    /// Shape `[source]`: it gave out all it will give.
    ended: Vec<bool>,
    /// Shape `[source]`: its control plane failed for good and is polled no more.
    dead: Vec<bool>,
    drain_until: Option<Instant>,
    abandoned: bool,
    failed: bool,
    next_look: Instant,
}

impl Controller {
    pub(crate) fn new(parts: ControllerParts) -> Self {
        let now = parts.clock.now();
        Self {
            writers: JoinSet::new(),
            lanes: BTreeMap::new(),
            assignments: Assignments::default(),
            commits: CommitSchedule::new(parts.settings.commit_interval, now),
            pending: Vec::new(),
            epochs: 0,
            ended: vec![false; parts.sources.len()],
            dead: vec![false; parts.sources.len()],
            drain_until: None,
            abandoned: false,
            failed: false,
            next_look: now,
            parts,
        }
    }

    /// What it shows.
    pub(crate) const fn status(&self) -> &SharedStatus {
        &self.parts.status
    }

    /// Runs until the pipeline has ended.
    pub(crate) fn run(mut self) -> Ended {
        let findings = self.preflight();
        if !self.failed && !self.parts.requests.wants_drain() {
            self.start();
            while !self.turn() {}
        }
        Ended { findings, ..self.end() }
    }

    /// Ends threads, writers and sources; says how it went.
    pub(super) fn end(mut self) -> Ended {
        self.finish();
        let outcome = match (self.failed, self.abandoned) {
            (true, _) => Outcome::Failed,
            (false, true) => Outcome::DeadlinePassed,
            (false, false) => Outcome::Drained,
        };
        self.set_phase(Phase::Ended);
        self.parts.status.record();
        // The writers have ended; a loader that blocks and never returns is not waited for.
        self.parts.io.shutdown_background();
        Ended { outcome, findings: Findings::default(), status: self.parts.status }
    }

    /// Looks at the world until it is as it should be; fails on anything that is refused.
    fn preflight(&mut self) -> Findings {
        let mut wait = REACH_FIRST;
        let mut told = false;
        loop {
            let sinks = self
                .parts
                .writers
                .iter()
                .filter(|writer| writer.shard.0 == 0);
            let sinks = sinks.map(|writer| StdArc::clone(&writer.sink)).collect();
            let mut findings = super::plan::check(&self.parts.io, &mut self.parts.sources, sinks);
            let lookups = &self.parts.lookups;
            let loaded = super::plan::load(&self.parts.io, lookups, &self.parts.clock);
            findings.0.extend(loaded.0);
            if findings.has_errors() {
                log_findings(&findings);
                let errors = findings
                    .0
                    .iter()
                    .filter(|found| found.severity == Severity::Error);
                for error in errors {
                    self.fail(format!("{} [{}]", error.text, error.code));
                }
                return findings;
            }
            if !findings.has_unreachable() {
                log_findings(&findings);
                return findings;
            }
            if !std::mem::replace(&mut told, true) {
                log_findings(&findings);
            }
            let until = self.parts.clock.now() + wait;
            wait = (wait * 2).min(REACH_CAP);
            while self.parts.clock.now() < until {
                if self.parts.requests.wants_drain() {
                    return findings;
                }
                self.parts.clock.park(TURN);
            }
        }
    }

    /// As [`Controller::start`], with writers that draw from `seed` on and
    /// lookups that nobody refreshes.
    pub(super) fn start_seeded(&mut self, seed: u64) {
        for (writer, seed) in self.parts.writers.iter_mut().zip(seed..) {
            writer.seed = seed;
        }
        // Nobody refreshes lookups: whoever steps the pipeline sets them.
        self.parts.lookups.clear();
        self.start();
    }

    /// Whether partitions are on their way in or out, or it drains.
    pub(super) fn is_leaving(&self) -> bool {
        self.assignments.is_releasing() || !self.pending.is_empty() || self.drain_until.is_some()
    }

    /// Runs a future on the I/O runtime.
    pub(super) fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.parts.io.block_on(future)
    }

    fn start(&mut self) {
        for writer in std::mem::take(&mut self.parts.writers) {
            let probe = super::probe::until_answered(
                StdArc::clone(&writer.sink),
                writer.shard,
                Arc::clone(&writer.status),
                self.parts.clock.clone(),
            );
            self.parts.io.spawn(probe);
            self.writers
                .spawn_on(crate::sink::worker::run(writer), self.parts.io.handle());
        }
        for loader in std::mem::take(&mut self.parts.lookups) {
            let clock = self.parts.clock.clone();
            self.parts.io.spawn(crate::lookup::refresh(loader, clock));
        }
        for index in 0..self.parts.sources.len() {
            if let Err(error) = self.parts.sources[index].start() {
                self.source_failed(index, &error);
            }
        }
        self.set_phase(Phase::Running);
    }

    /// One turn; whether everything is given back and the pipeline can end.
    pub(super) fn turn(&mut self) -> bool {
        let now = self.parts.clock.now();
        self.take_requests(now);
        self.take_lane_events();
        self.take_sink_failures();
        self.poll_sources();
        let now = self.parts.clock.now();
        self.start_pending(now);
        if self.commits.is_due(now) {
            self.commit_all(now);
        }
        let lanes = &self.lanes;
        let pending = |epoch: Epoch| lanes.get(&epoch).map_or(0, |lane| lane.shared.pending());
        let effects = self.assignments.tick(now, pending);
        self.carry_out(effects, now);
        if now >= self.next_look {
            self.next_look = now + Duration::from_secs(1);
            self.look(now);
        }
        if self.has_read_everything() && self.drain_until.is_none() {
            self.begin_drain(now);
        }
        self.drain_until.is_some() && self.assignments.is_empty()
    }

    /// Every source gave out all it will give, and every lane read it.
    fn has_read_everything(&self) -> bool {
        self.ended.iter().all(|ended| *ended)
            && self.pending.is_empty()
            && self.lanes.values().all(|lane| lane.ended)
    }

    fn take_requests(&mut self, now: Instant) {
        if self.parts.requests.wants_drain() && self.drain_until.is_none() {
            self.begin_drain(now);
        }
        if self.parts.requests.wants_abort() {
            self.assignments.hasten(now);
        }
    }

    fn begin_drain(&mut self, now: Instant) {
        if self.drain_until.is_some() {
            return;
        }
        let until = now + self.parts.settings.drain_timeout;
        self.drain_until = Some(until);
        self.set_phase(Phase::Draining);
        // Lanes that never started have read nothing: they are simply not started.
        self.pending.clear();
        let effects = self.assignments.drain(until);
        self.carry_out(effects, now);
    }

    fn take_lane_events(&mut self) {
        while let Ok(event) = self.parts.lane_events.try_recv() {
            match event {
                LaneEvent::Closed(epoch) => self.assignments.dropped(epoch),
                LaneEvent::Ended(epoch) => {
                    if let Some(lane) = self.lanes.get_mut(&epoch) {
                        lane.ended = true;
                    }
                }
                LaneEvent::Failed(_, failure) => {
                    self.fail(failure.to_string());
                    self.begin_drain(self.parts.clock.now());
                }
            }
        }
    }

    fn take_sink_failures(&mut self) {
        while let Ok(SinkFailure { sink, shard, error, token }) =
            self.parts.sink_failures.try_recv()
        {
            let hint = if error.hint.is_empty() {
                String::new()
            } else {
                format!("; help: {}", error.hint)
            };
            self.fail(format!(
                "sink `{sink}` shard {} refused batch `{token}`: {error}{hint}",
                shard.0
            ));
            self.begin_drain(self.parts.clock.now());
        }
    }

    fn poll_sources(&mut self) {
        let busy = self.assignments.is_releasing() || !self.pending.is_empty();
        let turn = if busy { TURN_BUSY } else { TURN };
        let wait = turn / u32::try_from(self.parts.sources.len().max(1)).unwrap_or(1);
        if self.dead.iter().all(|dead| *dead) {
            self.parts.clock.park(turn);
        }
        for source in 0..self.parts.sources.len() {
            let mut wait = wait;
            while !self.dead[source] {
                match self.parts.sources[source].poll(wait) {
                    Ok(None) => break,
                    Ok(Some(event)) => self.on_event(source, event),
                    Err(error) => {
                        self.dead[source] = true;
                        self.source_failed(source, &error);
                    }
                }
                wait = Duration::ZERO;
            }
        }
    }

    fn on_event(&mut self, source: usize, event: SourceEvent) {
        let now = self.parts.clock.now();
        match event {
            SourceEvent::Assigned(assigned) => {
                self.parts.status.state.lock().assignments[source] = true;
                let count = assigned.len() as u64;
                self.parts
                    .status
                    .assigned
                    .fetch_add(count, Ordering::Relaxed);
                tracing::info!(source = self.source_name(source), partitions = count, "assigned");
                if self.drain_until.is_none() {
                    self.pending.extend(assigned.into_iter().map(|assigned| {
                        let known = known_incarnation(&assigned);
                        Pending {
                            source,
                            incarnation: known.unwrap_or_else(|| Incarnation(super::random_u64())),
                            is_new: known.is_none(),
                            assigned,
                        }
                    }));
                }
            }
            SourceEvent::Revoked(partitions) => self.revoke(source, &partitions, false, now),
            SourceEvent::Lost(partitions) => self.revoke(source, &partitions, true, now),
            SourceEvent::Ended => self.ended[source] = true,
            SourceEvent::Warning(text) => {
                tracing::warn!(source = self.source_name(source), "{text}");
            }
        }
    }

    fn revoke(&mut self, source: usize, partitions: &[Partition], lost: bool, now: Instant) {
        tracing::info!(
            source = self.source_name(source),
            partitions = partitions.len(),
            lost,
            "revoked"
        );
        let count = partitions.len() as u64;
        self.parts
            .status
            .revoked
            .fetch_add(count, Ordering::Relaxed);
        self.pending.retain(|pending| {
            pending.source != source || !partitions.contains(&pending.assigned.partition)
        });
        let is_running = |partition: &Partition| {
            let same =
                |lane: &Running| lane.source == source && lane.shared.partition == *partition;
            self.lanes.values().any(same)
        };
        let never_started: Vec<Partition> = partitions
            .iter()
            .filter(|partition| !is_running(partition))
            .cloned()
            .collect();
        let deadline = now + self.parts.settings.revoke_timeout;
        let effects = self.assignments.revoked(source, partitions, lost, deadline);
        if !never_started.is_empty() || partitions.is_empty() {
            // Nothing of these has to be flushed: they can be given back at once.
            self.parts.sources[source].released(&never_started);
        }
        self.carry_out(effects, now);
    }

    /// Commits the incarnations of new partitions, then starts the lanes that wait for it.
    ///
    /// A partition without a note has no token yet: none may be sent before the note is committed.
    fn start_pending(&mut self, now: Instant) {
        for source in 0..self.parts.sources.len() {
            let new: Vec<Commit> = self
                .pending
                .iter()
                .filter(|pending| pending.source == source && pending.is_new)
                .map(|pending| Commit {
                    partition: pending.assigned.partition.clone(),
                    watermark: Watermark(pending.assigned.start.0),
                    note: NoteBook { incarnation: pending.incarnation }.note(),
                })
                .collect();
            if !new.is_empty() && !self.try_commit(source, &new) {
                continue;
            }
            let (ready, rest) = std::mem::take(&mut self.pending)
                .into_iter()
                .partition(|pending| pending.source == source);
            self.pending = rest;
            for pending in ready {
                self.start_lane(pending, now);
            }
        }
    }

    fn start_lane(&mut self, pending: Pending, now: Instant) {
        let Pending { source, assigned, incarnation, .. } = pending;
        let Some(chain) = self
            .parts
            .graph
            .chains
            .iter()
            .position(|chain| chain.source == source)
        else {
            panic!("INV-M3: source {source} feeds no chain");
        };
        self.epochs += 1;
        let epoch = Epoch(self.epochs);
        let partition = assigned.partition.clone();
        let shared =
            Arc::new(LaneShared::new(partition.clone(), epoch, incarnation, assigned.start));
        let thread = self.least_loaded();
        let slot = self.parts.threads[thread].slot();
        let sinks: Vec<_> = self
            .parts
            .status
            .sinks
            .iter()
            .map(|sink| Arc::clone(&sink.shared))
            .collect();
        let seed = LaneSeed {
            sinks: &sinks,
            lane: &shared,
            slot,
            clock: &self.parts.clock,
            lookups: &self.parts.status.lookups,
        };
        let driver = LaneDriver::new(
            assigned.lane,
            (self.parts.chains[chain])(&seed),
            LaneCx::new(&self.parts.graph.chains[chain]).heard_by(self.parts.skips.clone()),
            LaneParts {
                shared: Arc::clone(&shared),
                counters: Arc::clone(&self.parts.status.chains[chain]),
                pool: Arc::clone(&self.parts.status.pool),
                slot,
            },
        );
        self.commits
            .accepted(now, epoch, Watermark(assigned.start.0));
        self.assignments.assigned(source, partition, epoch);
        self.parts.status.state.lock().lanes.insert(
            epoch,
            LaneView {
                source,
                shared: Arc::clone(&shared),
                committed: Some(Watermark(assigned.start.0)),
                log_end: None,
                stalled_since: None,
            },
        );
        self.lanes.insert(
            epoch,
            Running {
                source,
                moved: (now, Watermark(assigned.start.0), assigned.start.0),
                shared,
                thread,
                ended: false,
                blocked_since: None,
                paused: false,
                stall_told: false,
            },
        );
        self.parts.threads[thread].send(LaneCommand::Add(Box::new(driver)));
    }

    fn least_loaded(&self) -> usize {
        let mut load = vec![0usize; self.parts.threads.len()];
        for lane in self.lanes.values() {
            load[lane.thread] += 1;
        }
        (0..load.len())
            .min_by_key(|&thread| load[thread])
            .unwrap_or(0)
    }

    fn carry_out(&mut self, effects: Vec<Effect>, now: Instant) {
        for effect in effects {
            match effect {
                Effect::Close(epoch) => self.tell_lane(epoch, LaneCommand::Close(epoch)),
                Effect::Abandon(epoch) => {
                    if let Some(lane) = self.lanes.get(&epoch) {
                        lane.shared.end();
                    }
                    self.tell_lane(epoch, LaneCommand::Abandon(epoch));
                }
                Effect::Release(release) => self.release(&release, now),
            }
        }
    }

    fn tell_lane(&self, epoch: Epoch, command: LaneCommand) {
        if let Some(lane) = self.lanes.get(&epoch) {
            // Before the command: frames handed over because of it are sealed at once.
            lane.shared.close();
            self.parts.threads[lane.thread].send(command);
        }
        self.parts
            .signals
            .iter()
            .for_each(|signal| signal.lanes_changed());
    }

    fn release(&mut self, release: &Release, now: Instant) {
        if !release.lost {
            self.commit(release.source, &release.epochs, now, true);
        }
        if release.abandoned {
            self.abandoned |= release.drain;
            tracing::warn!(
                source = self.source_name(release.source),
                partitions = release.partitions.len(),
                lost = release.lost,
                "gave partitions back with rows that are not durable: they will be read again"
            );
        }
        let mut state = self.parts.status.state.lock();
        for epoch in &release.epochs {
            self.lanes.remove(epoch);
            self.commits.forget(*epoch);
            if let Some(view) = state.lanes.remove(epoch) {
                let partition = &view.shared.partition;
                let same = |old: &LaneView| old.shared.partition == *partition;
                state.ended.retain(|old| !same(old));
                state.ended.push(view);
            }
        }
        drop(state);
        if release.revoked {
            self.parts.sources[release.source].released(&release.partitions);
        }
    }

    fn commit_all(&mut self, now: Instant) {
        for source in 0..self.parts.sources.len() {
            let epochs: Vec<Epoch> = self
                .lanes
                .iter()
                .filter(|(_, lane)| lane.source == source)
                .map(|(epoch, _)| *epoch)
                .collect();
            self.commit(source, &epochs, now, false);
        }
    }

    /// Commits what moved; at the end (`last`) a refused commit is tried again a few times.
    fn commit(&mut self, source: usize, epochs: &[Epoch], now: Instant, last: bool) {
        let mut wanted: Vec<(Epoch, Commit)> = Vec::new();
        for epoch in epochs {
            let Some(lane) = self.lanes.get(epoch) else { continue };
            let watermark = lane.shared.watermark();
            if self.commits.wants(now, *epoch, watermark) {
                let note = NoteBook { incarnation: lane.shared.incarnation }.note();
                let partition = lane.shared.partition.clone();
                wanted.push((*epoch, Commit { partition, watermark, note }));
            }
        }
        if wanted.is_empty() {
            return;
        }
        let commits: Vec<Commit> = wanted.iter().map(|(_, commit)| commit.clone()).collect();
        let mut accepted = self.try_commit(source, &commits);
        if last && !accepted {
            accepted = self.commit_again(source, &commits);
            if !accepted {
                self.commit_lost(source, &commits);
            }
        }
        if !accepted {
            return;
        }
        let mut state = self.parts.status.state.lock();
        for (epoch, commit) in wanted {
            self.commits.accepted(now, epoch, commit.watermark);
            if let Some(view) = state.lanes.get_mut(&epoch) {
                view.committed = Some(commit.watermark);
            }
        }
    }

    /// Commits; a refusal that may pass is counted, any other fails the pipeline.
    fn try_commit(&mut self, source: usize, commits: &[Commit]) -> bool {
        match self.parts.sources[source].commit(commits) {
            Ok(()) => {
                self.parts.status.commits.fetch_add(1, Ordering::Relaxed);
                true
            }
            Err(error) if error.class() == Class::Remote => {
                let refused = self
                    .parts
                    .status
                    .commits_refused
                    .fetch_add(1, Ordering::Relaxed)
                    + 1;
                if refused.is_power_of_two() {
                    let name = self.source_name(source);
                    tracing::warn!(source = name, refused, "{}", chain_text(&error));
                }
                false
            }
            Err(error) => {
                self.source_failed(source, &error);
                false
            }
        }
    }

    /// Repeats the last commit of partitions a few times, for about a second and a half.
    fn commit_again(&mut self, source: usize, commits: &[Commit]) -> bool {
        LAST_COMMIT_WAITS.iter().any(|wait| {
            if self.dead[source] {
                return false;
            }
            self.parts.clock.park(*wait);
            self.try_commit(source, commits)
        })
    }

    /// The last commit of partitions was refused: durable rows will be read again.
    fn commit_lost(&self, source: usize, commits: &[Commit]) {
        for Commit { partition, watermark, .. } in commits {
            tracing::warn!(
                source = self.source_name(source),
                %partition,
                watermark = watermark.0,
                "the last commit was refused: rows below the watermark are durable and will be \
                 read again"
            );
        }
    }

    /// Once a second: log ends, long pressure, stalls, metrics.
    fn look(&mut self, now: Instant) {
        for source in 0..self.parts.sources.len() {
            let ends = self.parts.sources[source].log_ends();
            let mut state = self.parts.status.state.lock();
            for end in ends {
                let of_end = |view: &&mut LaneView| {
                    view.source == source && view.shared.partition == end.partition
                };
                if let Some(view) = state.lanes.values_mut().find(of_end) {
                    view.log_end = Some(end.end);
                }
            }
        }
        self.look_at_pressure(now);
        self.look_at_stalls(now);
        self.parts.status.record();
    }

    fn look_at_pressure(&mut self, now: Instant) {
        for lane in self.lanes.values_mut() {
            if lane.shared.state() != LaneState::Blocked {
                lane.blocked_since = None;
                if std::mem::take(&mut lane.paused) {
                    self.parts.sources[lane.source].set_paused(&lane.shared.partition, false);
                }
                continue;
            }
            let since = *lane.blocked_since.get_or_insert(now);
            if !lane.paused && now.duration_since(since) >= self.parts.settings.pause_after {
                lane.paused = true;
                self.parts.sources[lane.source].set_paused(&lane.shared.partition, true);
            }
        }
    }

    fn look_at_stalls(&mut self, now: Instant) {
        let stall_after = self.parts.settings.stall_after;
        let waits_for = self.waits_for();
        let mut state = self.parts.status.state.lock();
        let mut stall = None;
        for (epoch, lane) in &mut self.lanes {
            let (watermark, position) = (lane.shared.watermark(), lane.shared.position().0);
            let view = state.lanes.get_mut(epoch);
            let log_end = view.as_ref().and_then(|view| view.log_end);
            let unread = log_end.is_some_and(|end| end.0 > position);
            let has_work = lane.shared.unresolved() > 0 || (unread && !lane.ended);
            if !has_work || (watermark, position) != (lane.moved.1, lane.moved.2) {
                lane.moved = (now, watermark, position);
                lane.stall_told = false;
            }
            let stalled = now.duration_since(lane.moved.0) >= stall_after;
            if let Some(view) = view {
                view.stalled_since = stalled.then_some(lane.moved.0);
            }
            if stalled {
                let partition = &lane.shared.partition;
                let text = format!(
                    "{partition} has not moved from {watermark} for {}s: {waits_for}",
                    now.duration_since(lane.moved.0).as_secs()
                );
                if !std::mem::replace(&mut lane.stall_told, true) {
                    tracing::warn!("{text}");
                }
                stall.get_or_insert(text);
            }
        }
        state.stall = stall;
    }

    /// What keeps frames unresolved, as far as the writers know.
    fn waits_for(&self) -> String {
        let failing = self.parts.status.sinks.iter().find_map(|sink| {
            let errors = sink.shards.iter().enumerate();
            let mut errors =
                errors.filter_map(|(shard, status)| Some((shard, status.last_error()?)));
            let (shard, error) = errors.next()?;
            Some(format!("sink `{}` shard {shard} answers: {error}", sink.shared.name))
        });
        failing.unwrap_or_else(|| "waiting for the source or for an answer of a sink".to_owned())
    }

    fn source_failed(&mut self, source: usize, error: &SourceError) {
        let hint = error
            .hint()
            .map_or(String::new(), |hint| format!("; help: {hint}"));
        self.fail(format!("source `{}`: {}{hint}", self.source_name(source), chain_text(error)));
        self.begin_drain(self.parts.clock.now());
    }

    fn fail(&mut self, reason: String) {
        tracing::error!("{reason}");
        self.failed = true;
        let mut state = self.parts.status.state.lock();
        if !state.failures.contains(&reason) {
            state.failures.push(reason);
        }
    }

    /// Ends threads and writers, then leaves the sources.
    fn finish(&mut self) {
        for thread in &mut self.parts.threads {
            thread.join();
        }
        let now = self.parts.clock.now();
        let until = if self.abandoned { now } else { self.drain_until.unwrap_or(now) };
        for sink in &self.parts.status.sinks {
            sink.shared.queues.iter().for_each(|queue| queue.close());
        }
        let writers = &mut self.writers;
        let signals = &self.parts.signals;
        let clock = &self.parts.clock;
        self.parts.io.block_on(async {
            let all = async { while writers.join_next().await.is_some() {} };
            tokio::pin!(all);
            tokio::select! {
                biased;
                () = &mut all => return,
                () = clock.pass_until(until) => {}
            }
            signals.iter().for_each(|signal| signal.abandon());
            all.await;
        });
        for source in &mut self.parts.sources {
            source.close();
        }
    }

    fn set_phase(&self, phase: Phase) {
        self.parts.status.state.lock().phase = phase;
    }

    fn source_name(&self, source: usize) -> &'static str {
        self.parts.graph.sources[source].name
    }
}

fn known_incarnation(assigned: &Assigned) -> Option<Incarnation> {
    let note = assigned.note.as_ref().filter(|note| !note.0.is_empty())?;
    match note.0.parse::<NoteBook>() {
        Ok(book) => Some(book.incarnation),
        Err(error) => {
            let partition = &assigned.partition;
            tracing::warn!(%partition, "{error}: the partition begins a new incarnation");
            None
        }
    }
}

fn log_findings(findings: &Findings) {
    for finding in &findings.0 {
        let (code, help) = (finding.code, finding.help.as_str());
        match finding.severity {
            Severity::Error => tracing::error!(code, help, "{}", finding.text),
            Severity::Unreachable => {
                tracing::warn!(code, help, "{}; waiting for it", finding.text);
            }
            Severity::Warning => tracing::warn!(code, help, "{}", finding.text),
            Severity::Note => tracing::info!(code, "{}", finding.text),
        }
    }
}
