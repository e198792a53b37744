//! The control plane: one consumer per process, its rebalances, its commits.
//!
//! All calls come from the controller thread. Rebalances arrive as events and are answered later:
//!
//! | event | at once | when lanes are gone (`released`) |
//! |---|---|---|
//! | assign | committed offsets and log ends asked, lanes split off, assigned | |
//! | revoke | reported; nothing given back | (incremental) unassign |
//! | revoke, assignment lost | reported as lost | (incremental) unassign |
//! | rebalance error | everything given up, reported as lost | unassign |
//!
//! In between the queue is polled on, so the group sees a live member (R019, R020).

mod check;
mod lane;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ffi::CString;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rdkafka_sys as rd;
use rdkafka_sys::rd_kafka_resp_err_t as E;
use spate_runtime::clock::Clock;
use spate_runtime::error::{Class, SourceError};
use spate_runtime::id::{NextOffset, Partition};
use spate_runtime::lane::source::{Assigned, Commit, LogEnd, Source, SourceEvent};
use spate_runtime::preflight::Findings;

use self::lane::KafkaLane;
#[cfg(feature = "embedded")]
pub(crate) use self::lane::{LaneReport, LaneSeed};
#[cfg(not(feature = "embedded"))]
use self::lane::{LaneReport, LaneSeed};
use crate::config::Settings;
use crate::error;
use crate::start::{self, Begin, Known};
use crate::sys::{Client, Code, Entry, Event, EventKind, List, Queue};
use crate::waker::WakerCell;

/// A Kafka source.
pub(crate) struct KafkaSource {
    settings: Settings,
    brokers: String,
    clock: Clock,
    #[cfg(feature = "embedded")]
    embedded: Option<crate::embedded::EmbeddedBroker>,
    /// How many partitions each topic had when this process first asked.
    known: HashMap<String, i32>,
    member: Option<Member>,
}

/// What there is once the source joined its group.
struct Member {
    client: Arc<Client>,
    queue: Arc<Queue>,
    owned: BTreeMap<Partition, Owned>,
    cells: HashMap<Partition, Arc<WakerCell>>,
    pending: VecDeque<SourceEvent>,
    /// An assignment whose offsets could not be asked for yet.
    assigning: Option<Vec<Entry>>,
    /// What was revoked and is not released yet; empty: nothing was.
    releasing: BTreeSet<Partition>,
    /// All of that revoke, given back together.
    revoked: Vec<Partition>,
    /// What the answer to that revoke is.
    unassign: Unassign,
    /// A commit whose answer did not come in time.
    unanswered: Option<Queue>,
    epoch: u64,
    was_assigned: bool,
    ended: bool,
    /// Since when nothing is assigned although something was.
    homeless: Option<Instant>,
    /// When a passing trouble was told last, by code.
    told: HashMap<Code, Instant>,
}

/// A partition of ours.
struct Owned {
    topic: CString,
    state: Arc<LaneReport>,
    start: u64,
    /// The log's end when the partition was assigned.
    end_at_start: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unassign {
    All,
    These,
}

impl fmt::Debug for KafkaSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KafkaSource")
            .field("brokers", &self.brokers)
            .field("topics", &self.settings.topics)
            .field("group", &self.settings.group)
            .finish_non_exhaustive()
    }
}

impl KafkaSource {
    /// Makes a source; touches nothing outside, but for the embedded broker, which it starts.
    ///
    /// # Errors
    ///
    /// When librdkafka refuses the settings.
    pub(crate) fn new(settings: Settings) -> Result<Self, SourceError> {
        #[cfg(feature = "embedded")]
        let embedded = settings
            .embedded
            .as_ref()
            .map(|orders| crate::embedded::EmbeddedBroker::start(&settings.topics[0], orders))
            .transpose()?;
        #[cfg(feature = "embedded")]
        let brokers = embedded
            .as_ref()
            .map_or_else(|| settings.brokers.clone(), |broker| broker.brokers().to_owned());
        #[cfg(not(feature = "embedded"))]
        let brokers = settings.brokers.clone();
        settings
            .conf(&brokers, 1)
            .map(drop)
            .map_err(|text| SourceError::new(Class::Config, text))?;
        Ok(Self {
            settings,
            brokers,
            clock: Clock::real(),
            #[cfg(feature = "embedded")]
            embedded,
            known: HashMap::new(),
            member: None,
        })
    }

    /// Where the embedded broker's orders will end: what it holds now is only a window.
    #[cfg(feature = "embedded")]
    fn embedded_end(&self, partition: &Partition) -> Option<u64> {
        self.embedded.as_ref()?.records_in(partition.id)
    }

    #[cfg(not(feature = "embedded"))]
    #[expect(clippy::unused_self, reason = "has a twin that uses it")]
    const fn embedded_end(&self, _: &Partition) -> Option<u64> {
        None
    }

    /// Makes a client that expects as many partitions as are known.
    fn client(&self) -> Result<Arc<Client>, SourceError> {
        let partitions: i32 = self.known.values().sum();
        let partitions = usize::try_from(partitions).unwrap_or(0).max(1);
        self.settings
            .conf(&self.brokers, partitions)
            .and_then(|conf| conf.into_client(rd::rd_kafka_type_t::RD_KAFKA_CONSUMER))
            .map(Arc::new)
            .map_err(|text| SourceError::new(Class::Config, self.settings.without_secrets(&text)))
    }

    /// Learns the number of partitions, for the prefetch and to tell new partitions later.
    fn learn_partitions(&mut self) -> Result<(), SourceError> {
        if self.known.len() == self.settings.topics.len() {
            return Ok(());
        }
        let probe = self.client()?;
        if let Err(code) = learn(&mut self.known, &probe, &self.settings) {
            tracing::warn!(%code, "the number of partitions is not known yet");
        }
        Ok(())
    }
}

/// Asks for the number of partitions of topics where it is not known yet.
///
/// At the latest when the first partitions are assigned: what is there then is not new.
fn learn(
    known: &mut HashMap<String, i32>,
    client: &Client,
    settings: &Settings,
) -> Result<(), Code> {
    for topic in &settings.topics {
        if !known.contains_key(topic) {
            let count = match client.partitions(&c_string(topic), settings.request_timeout) {
                Ok(ids) => count_of(&ids),
                // A topic that is made later is new altogether.
                Err(code) if code.is(E::RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) => 0,
                Err(code) => return Err(code),
            };
            known.insert(topic.clone(), count);
        }
    }
    Ok(())
}

impl Source for KafkaSource {
    fn check(&mut self) -> Findings {
        self.look()
    }

    fn start(&mut self) -> Result<(), SourceError> {
        self.learn_partitions()?;
        let client = self.client()?;
        let merged = client.merge_queues();
        merged.map_err(|code| error::source_error(code, "the consumer's queue is not there"))?;
        let queue = Queue::consumer(&client)
            .ok_or_else(|| SourceError::new(Class::Bug, "the consumer of a group has no queue"))?;
        let mut topics = List::new(self.settings.topics.len());
        for topic in &self.settings.topics {
            topics.add(&c_string(topic), PARTITION_ANY, 0);
        }
        client
            .subscribe(&topics)
            .map_err(|code| error::source_error(code, "could not subscribe to the topics"))?;
        self.member = Some(Member::new(client, queue));
        Ok(())
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<SourceEvent>, SourceError> {
        let Some(member) = &mut self.member else { return Ok(None) };
        if let Some(event) = member.pending.pop_front() {
            return Ok(Some(event));
        }
        if let Some(event) = member.queue.poll(wait) {
            self.on_event(&event)?;
        }
        self.assign()?;
        self.ask_for_overrun()?;
        self.look_for_the_end()?;
        Ok(self
            .member
            .as_mut()
            .and_then(|member| member.pending.pop_front()))
    }

    fn commit(&mut self, commits: &[Commit]) -> Result<(), SourceError> {
        let wait = self.settings.request_timeout;
        let Some(member) = &mut self.member else { return Ok(()) };
        member.commit(commits, wait).map_err(|(code, text)| {
            if code.is(E::RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID) {
                fenced(&self.settings, code)
            } else {
                error::source_error(code, text)
            }
        })
    }

    fn released(&mut self, partitions: &[Partition]) {
        if let Some(member) = &mut self.member {
            member.released(partitions);
            if member.owned.is_empty() && member.was_assigned && member.assigning.is_none() {
                member.homeless = Some(self.clock.now());
            }
        }
    }

    fn set_paused(&mut self, partition: &Partition, paused: bool) {
        let Some(member) = &mut self.member else { return };
        let Some(owned) = member.owned.get(partition) else { return };
        let mut list = List::new(1);
        list.add(&owned.topic, wire_id(partition), 0);
        if let Err(code) = member.client.set_paused(&list, paused) {
            tracing::warn!(%partition, paused, %code, "could not pause or resume");
        }
    }

    fn session_timeout(&self) -> Option<Duration> {
        Some(self.settings.session_timeout)
    }

    fn log_ends(&mut self) -> Vec<LogEnd> {
        let Some(member) = &self.member else { return Vec::new() };
        member
            .owned
            .iter()
            .map(|(partition, owned)| {
                let end = self
                    .embedded_end(partition)
                    .unwrap_or_else(|| member.log_end(partition, owned));
                LogEnd { partition: partition.clone(), end: NextOffset(end) }
            })
            .collect()
    }

    fn close(&mut self) {
        if let Some(member) = self.member.take() {
            member.close(&self.clock, self.settings.request_timeout);
        }
    }
}

impl Drop for KafkaSource {
    fn drop(&mut self) {
        self.close();
    }
}

impl KafkaSource {
    fn on_event(&mut self, event: &Event) -> Result<(), SourceError> {
        match event.kind() {
            EventKind::Rebalance => {
                self.on_rebalance(event);
                Ok(())
            }
            EventKind::Error => self.on_error(event.code(), &event.text()),
            EventKind::TokenRefresh => {
                if let Some(member) = &self.member {
                    member.client.token_failed(c"no token provider is built in");
                }
                Ok(())
            }
            EventKind::Committed | EventKind::Other => Ok(()),
        }
    }

    fn on_rebalance(&mut self, event: &Event) {
        let Some(member) = &mut self.member else { return };
        let (code, entries) = (event.code(), event.entries());
        if code.is(E::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
            member.assigning = Some(entries);
        } else if code.is(E::RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS) {
            member.assigning = None;
            member.revoke(&entries);
        } else {
            // R023: an error is answered by giving everything up, then the group starts over.
            member.assigning = None;
            member
                .pending
                .push_back(SourceEvent::Warning(format!("rebalance failed: {code}")));
            member.lose_everything();
        }
    }

    /// Answers a pending assignment, once the offsets are known.
    fn assign(&mut self) -> Result<(), SourceError> {
        let Some(member) = &mut self.member else { return Ok(()) };
        let Some(entries) = member.assigning.take() else { return Ok(()) };
        let wait = self.settings.request_timeout;
        let asked = learn(&mut self.known, &member.client, &self.settings).and_then(|()| {
            if entries.is_empty() { Ok(Vec::new()) } else { member.ask(&entries, wait) }
        });
        let looked_up = match asked {
            Ok(looked_up) => looked_up,
            Err(code) if error::class(code) == Class::Remote => {
                member.assigning = Some(entries);
                let text = format!("committed offsets could not be read, trying again: {code}");
                self.warn(code, text);
                return Ok(());
            }
            Err(code) => {
                let text = format!(
                    "committed offsets of group `{}` could not be read",
                    self.settings.group
                );
                return Err(error::source_error(code, text));
            }
        };
        let mut assigned = Vec::with_capacity(looked_up.len());
        let mut list = List::new(looked_up.len());
        let mut gaps = Vec::new();
        for found in looked_up {
            let known = Known {
                is_new: self
                    .known
                    .get(&*found.partition.topic)
                    .is_some_and(|count| wire_id(&found.partition) >= *count),
                ..found.known
            };
            let (start, policy) = (self.settings.start, self.settings.out_of_range);
            let begin = start::begin(&found.partition, &known, start, policy)?;
            if begin.gap > 0 {
                gaps.push(gap_text(&found.partition, &begin));
            }
            let topic = c_string(&found.partition.topic);
            let entry = list.add(&topic, wire_id(&found.partition), wire_offset(begin.at.0));
            if begin.gap == 0 && known.committed.is_some() && found.leader_epoch >= 0 {
                entry.with_leader_epoch(found.leader_epoch);
            }
            let lane = member.split(&found.partition, &topic, begin.at.0, &known, &self.settings);
            let lane = lane.ok_or_else(|| {
                SourceError::new(
                    Class::Bug,
                    format!("partition `{}` has no queue", found.partition),
                )
            })?;
            #[cfg(feature = "embedded")]
            let lane = match &self.embedded {
                Some(broker) => broker.feed(lane),
                None => lane,
            };
            assigned.push(Assigned {
                partition: found.partition,
                start: begin.at,
                note: begin.note,
                lane: Box::new(KafkaLane::new(lane)),
            });
        }
        let answer = if member.client.is_cooperative() {
            member.client.incremental_assign(&list)
        } else {
            member.client.assign(Some(&list))
        };
        if let Err(code) = answer {
            drop(assigned);
            return Err(error::source_error(code, "the assignment could not be taken"));
        }
        member.was_assigned |= !assigned.is_empty();
        member.homeless = None;
        member.told.clear();
        member.pending.push_back(SourceEvent::Assigned(assigned));
        member
            .pending
            .extend(gaps.into_iter().map(SourceEvent::Warning));
        Ok(())
    }

    /// Asks for the logs of lanes whose position is gone, so that they fail with the numbers.
    fn ask_for_overrun(&self) -> Result<(), SourceError> {
        let Some(member) = &self.member else { return Ok(()) };
        for (partition, owned) in &member.owned {
            if !owned.state.asks_for_log() {
                continue;
            }
            let entry = Entry::of(&partition.topic, wire_id(partition));
            match member.ask(&[entry], self.settings.request_timeout) {
                Ok(found) => {
                    let Known { log_start, log_end, .. } = found[0].known;
                    owned.state.tell_log(log_start, log_end);
                }
                // Asked again at the next poll.
                Err(code) if error::class(code) == Class::Remote => continue,
                Err(code) => {
                    let text = format!("the log of partition `{partition}` could not be asked for");
                    return Err(error::source_error(code, text));
                }
            }
            if let Some(cell) = member.cells.get(partition) {
                cell.wake();
            }
        }
        Ok(())
    }

    fn on_error(&mut self, code: Code, text: &str) -> Result<(), SourceError> {
        let text = self.settings.without_secrets(text);
        let Some(member) = &mut self.member else { return Ok(()) };
        let is_fatal = code.is(E::RD_KAFKA_RESP_ERR__FATAL);
        let (code, text) = member
            .client
            .fatal()
            .filter(|_| is_fatal)
            .unwrap_or((code, text));
        if code.is(E::RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID) {
            return Err(fenced(&self.settings, code));
        }
        if is_fatal {
            return Err(SourceError::new(Class::Config, format!("the client gave up: {text}"))
                .because(code));
        }
        let is_tls = code.is(E::RD_KAFKA_RESP_ERR__SSL);
        // A broker that restarts may break off a handshake: that is no reason to stop.
        if error::class(code) == Class::Config && !(is_tls && member.was_assigned) {
            let what = if code.is(E::RD_KAFKA_RESP_ERR__AUTHENTICATION) {
                "authentication failed"
            } else if is_tls {
                "TLS failed"
            } else {
                "refused by the brokers"
            };
            return Err(error::source_error(code, format!("{what}: {text}")));
        }
        self.warn(code, text);
        Ok(())
    }

    /// Passes a warning on, but the same one only every so often.
    fn warn(&mut self, code: Code, text: String) {
        let now = self.clock.now();
        let Some(member) = &mut self.member else { return };
        let told = member.told.get(&code);
        if told.is_none_or(|told| now.duration_since(*told) >= WARN_EVERY) {
            member.told.insert(code, now);
            member.pending.push_back(SourceEvent::Warning(text));
        }
    }

    fn look_for_the_end(&mut self) -> Result<(), SourceError> {
        let Some(member) = &mut self.member else { return Ok(()) };
        if self.settings.until_end && !member.ended && member.all_ended() {
            member.ended = true;
            member.pending.push_back(SourceEvent::Ended);
        }
        let timeout = self.settings.rejoin_timeout;
        if let Some(since) = member.homeless
            && self.clock.now().duration_since(since) >= timeout
        {
            let text = format!("lost all partitions and was assigned none for {timeout:?}");
            return Err(SourceError::new(Class::Remote, text)
                .with_hint("see `rejoin_timeout`, and the group's members"));
        }
        Ok(())
    }
}

/// What is known of an assigned partition.
struct LookedUp {
    partition: Partition,
    known: Known,
    leader_epoch: i32,
}

impl Member {
    fn new(client: Arc<Client>, queue: Queue) -> Self {
        Self {
            client,
            queue: Arc::new(queue),
            owned: BTreeMap::new(),
            cells: HashMap::new(),
            pending: VecDeque::new(),
            assigning: None,
            releasing: BTreeSet::new(),
            revoked: Vec::new(),
            unassign: Unassign::These,
            unanswered: None,
            epoch: 0,
            was_assigned: false,
            ended: false,
            homeless: None,
            told: HashMap::new(),
        }
    }

    /// Asks for committed offsets and both ends of the logs.
    fn ask(&self, entries: &[Entry], wait: Duration) -> Result<Vec<LookedUp>, Code> {
        ask(&self.client, entries, wait)
    }

    /// Splits off the queue of a partition and remembers it as ours.
    fn split(
        &mut self,
        partition: &Partition,
        topic: &CString,
        start: u64,
        known: &Known,
        settings: &Settings,
    ) -> Option<LaneSeed> {
        self.epoch += 1;
        let cell = Arc::clone(self.cells.entry(partition.clone()).or_default());
        let queue = Queue::partition(&self.client, topic, wire_id(partition), &cell)?;
        let state = Arc::new(LaneReport::default());
        let owned = Owned {
            topic: topic.clone(),
            state: Arc::clone(&state),
            start,
            end_at_start: known.log_end,
        };
        self.owned.insert(partition.clone(), owned);
        let control = Arc::clone(&self.queue);
        Some(LaneSeed {
            partition: partition.clone(),
            topic: topic.clone(),
            epoch: self.epoch,
            start,
            until: settings.until_end.then_some(known.log_end),
            marks_end: settings.marks_end(),
            batch_max: settings.batch_max,
            queue,
            cell,
            state,
            look: Box::new(move || control.interrupt()),
            released: None,
        })
    }

    /// The end of the log as the last fetch told it.
    fn log_end(&self, partition: &Partition, owned: &Owned) -> u64 {
        let cached = self.client.cached_log(&owned.topic, wire_id(partition));
        let high = cached.and_then(|(_, high)| u64::try_from(high).ok());
        high.map_or(owned.end_at_start, |high| high.max(owned.start))
    }

    fn revoke(&mut self, entries: &[Entry]) {
        let lost = self.client.assignment_lost();
        let partitions: Vec<Partition> = entries
            .iter()
            .map(partition_of)
            .filter(|partition| self.owned.contains_key(partition))
            .collect();
        self.unassign = if self.client.is_cooperative() { Unassign::These } else { Unassign::All };
        if partitions.is_empty() {
            self.give_back(&entries.iter().map(partition_of).collect::<Vec<_>>());
            return;
        }
        self.releasing = partitions.iter().cloned().collect();
        self.revoked = entries.iter().map(partition_of).collect();
        self.pending.push_back(if lost {
            SourceEvent::Lost(partitions)
        } else {
            SourceEvent::Revoked(partitions)
        });
    }

    fn lose_everything(&mut self) {
        self.unassign = Unassign::All;
        self.releasing = self.owned.keys().cloned().collect();
        if self.releasing.is_empty() {
            self.give_back(&[]);
        } else {
            self.pending
                .push_back(SourceEvent::Lost(self.releasing.iter().cloned().collect()));
        }
    }

    fn released(&mut self, partitions: &[Partition]) {
        let was_releasing = !self.releasing.is_empty();
        for partition in partitions {
            self.owned.remove(partition);
            self.releasing.remove(partition);
        }
        // Everything of one revoke is given back together, as the group expects.
        if was_releasing && self.releasing.is_empty() {
            let revoked = std::mem::take(&mut self.revoked);
            self.give_back(&revoked);
        }
    }

    fn give_back(&self, partitions: &[Partition]) {
        let answer = if self.unassign == Unassign::All {
            self.client.assign(None)
        } else {
            self.client.incremental_unassign(&list_of(partitions))
        };
        if let Err(code) = answer {
            tracing::warn!(%code, "partitions could not be given back");
        }
    }

    fn all_ended(&self) -> bool {
        self.was_assigned
            && !self.owned.is_empty()
            && self.releasing.is_empty()
            && self.owned.values().all(|owned| owned.state.has_ended())
    }

    /// Sends one commit for all partitions that are ours, and waits for the answer.
    fn commit(&mut self, commits: &[Commit], wait: Duration) -> Result<(), (Code, String)> {
        // An answer that is still due comes first: commits must not overtake each other.
        if let Some(unanswered) = self.unanswered.take()
            && unanswered.poll(wait).is_none()
        {
            self.unanswered = Some(unanswered);
            return Err((TIMED_OUT, "the commit before this one was not answered yet".to_owned()));
        }
        let mut list = List::new(commits.len());
        let mut count = 0;
        for Commit { partition, watermark, note } in commits {
            // R016: what is not ours any more is another member's to commit.
            let Some(owned) = self.owned.get(partition) else {
                tracing::debug!(%partition, %watermark, "commit of a partition that is gone");
                continue;
            };
            let entry = list
                .add(&owned.topic, wire_id(partition), wire_offset(watermark.0))
                .with_metadata(&note.0);
            if let Some(epoch) = owned.state.leader_epoch_before(watermark.0) {
                entry.with_leader_epoch(epoch);
            }
            count += 1;
        }
        if count == 0 {
            return Ok(());
        }
        let reply = Queue::new(&self.client);
        self.client
            .commit(&list, &reply)
            .map_err(|code| (code, format!("offsets of {count} partitions were not committed")))?;
        let Some(answer) = reply.poll(wait) else {
            self.unanswered = Some(reply);
            return Err((TIMED_OUT, format!("the commit was not answered within {wait:?}")));
        };
        answer_of(&answer)
    }

    /// Leaves the group and waits for it, but not for ever.
    fn close(mut self, clock: &Clock, at_most: Duration) {
        self.unanswered = None;
        let deadline = clock.now() + at_most;
        let events = Queue::new(&self.client);
        if let Err((code, text)) = self.client.close(&events) {
            tracing::debug!(%code, text, "left without closing");
            return;
        }
        while !self.client.is_closed() {
            let now = clock.now();
            if now >= deadline {
                tracing::warn!("the group was not left within {at_most:?}");
                break;
            }
            let Some(event) = events.poll((deadline - now).min(CLOSE_STEP)) else { continue };
            if matches!(event.kind(), EventKind::Rebalance) {
                let partitions: Vec<_> = event.entries().iter().map(partition_of).collect();
                self.unassign =
                    if self.client.is_cooperative() { Unassign::These } else { Unassign::All };
                self.give_back(&partitions);
            }
        }
    }
}

/// Asks for committed offsets and both ends of the logs: three questions, whatever the number of
/// partitions.
fn ask(client: &Client, entries: &[Entry], wait: Duration) -> Result<Vec<LookedUp>, Code> {
    let list_at = |offset| {
        let mut list = List::new(entries.len());
        for entry in entries {
            list.add(&c_string(&entry.topic), entry.partition, offset);
        }
        list
    };
    let mut committed = list_at(i64::from(rd::RD_KAFKA_OFFSET_INVALID));
    client.committed(&mut committed, wait)?;
    let mut starts = list_at(i64::from(rd::RD_KAFKA_OFFSET_BEGINNING));
    client.offsets_for_times(&mut starts, wait)?;
    let mut ends = list_at(i64::from(rd::RD_KAFKA_OFFSET_END));
    client.offsets_for_times(&mut ends, wait)?;
    let by_partition = |list: &List| -> HashMap<(String, i32), Entry> {
        list.entries()
            .into_iter()
            .map(|entry| ((entry.topic.clone(), entry.partition), entry))
            .collect()
    };
    let (mut committed, starts, ends) =
        (by_partition(&committed), by_partition(&starts), by_partition(&ends));
    let mut topics: HashMap<&str, Arc<str>> = HashMap::new();
    entries
        .iter()
        .map(|entry| {
            let key = (entry.topic.clone(), entry.partition);
            let offset_in = |map: &HashMap<_, Entry>| match map.get(&key) {
                Some(found) if found.code != Code::OK => Err(found.code),
                Some(found) => u64::try_from(found.offset).map_err(|_negative| NO_OFFSET),
                None => Err(NO_OFFSET),
            };
            let (log_start, log_end) = (offset_in(&starts)?, offset_in(&ends)?);
            let (mut leader_epoch, mut known) = (-1, None);
            if let Some(found) = committed.remove(&key) {
                if found.code != Code::OK {
                    return Err(found.code);
                }
                leader_epoch = found.leader_epoch;
                known = u64::try_from(found.offset)
                    .ok()
                    .map(|offset| (offset, found.metadata));
            }
            let topic = topics
                .entry(&entry.topic)
                .or_insert_with(|| Arc::from(entry.topic.as_str()));
            Ok(LookedUp {
                partition: Partition::new(Arc::clone(topic), small(entry.partition)),
                known: Known { committed: known, log_start, log_end, is_new: false },
                leader_epoch,
            })
        })
        .collect()
}

/// What the brokers said to a commit: the worst of its partitions.
fn answer_of(answer: &Event) -> Result<(), (Code, String)> {
    let entries = answer.entries();
    let refused: Vec<&Entry> = entries
        .iter()
        .filter(|entry| entry.code != Code::OK)
        .collect();
    let worst = refused
        .iter()
        .max_by_key(|entry| error::class(entry.code) == Class::Config);
    match worst {
        Some(entry) => {
            let text = format!(
                "offset {} of partition `{}[{}]` was not committed ({} of {} refused)",
                entry.offset,
                entry.topic,
                entry.partition,
                refused.len(),
                entries.len()
            );
            Err((entry.code, text))
        }
        None if answer.code() == Code::OK => Ok(()),
        None => Err((
            answer.code(),
            format!("offsets of {} partitions were not committed", entries.len()),
        )),
    }
}

fn gap_text(partition: &Partition, begin: &Begin) -> String {
    let Begin { at, gap, .. } = begin;
    let from = at.0 - gap;
    format!(
        "partition `{partition}`: position {from}, the log begins at {at}: {gap} offsets are lost"
    )
}

fn fenced(settings: &Settings, code: Code) -> SourceError {
    let id = settings.instance_id.as_deref().unwrap_or("");
    let text = format!("another process joined group `{}` as instance `{id}`", settings.group);
    error::source_error(code, text)
}

fn partition_of(entry: &Entry) -> Partition {
    Partition::new(entry.topic.as_str(), small(entry.partition))
}

fn list_of(partitions: &[Partition]) -> List {
    let mut list = List::new(partitions.len());
    for partition in partitions {
        list.add(&c_string(&partition.topic), wire_id(partition), 0);
    }
    list
}

fn count_of(ids: &[i32]) -> i32 {
    i32::try_from(ids.len()).unwrap_or(i32::MAX)
}

fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).expect("has no NUL byte any more")
}

fn wire_id(partition: &Partition) -> i32 {
    i32::try_from(partition.id).unwrap_or(i32::MAX)
}

fn wire_offset(offset: u64) -> i64 {
    i64::try_from(offset).unwrap_or(i64::MAX)
}

fn small(id: i32) -> u32 {
    u32::try_from(id).unwrap_or(0)
}

const PARTITION_ANY: i32 = -1;
const TIMED_OUT: Code = Code::of(E::RD_KAFKA_RESP_ERR__TIMED_OUT);
const NO_OFFSET: Code = Code::of(E::RD_KAFKA_RESP_ERR__NO_OFFSET);
/// The same passing trouble is told this often.
const WARN_EVERY: Duration = Duration::from_secs(30);
/// How often a close looks whether it is done.
const CLOSE_STEP: Duration = Duration::from_millis(100);
