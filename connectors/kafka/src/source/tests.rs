//! The source against librdkafka's mock broker: one process, no server.

#![expect(unsafe_code, reason = "counts allocations")]

mod real;
mod refused;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::mpsc;

use spate_runtime::lane::source::{Filled, Lane, Note};
use spate_runtime::preflight::Severity;

use super::*;
use crate::config::Start;
use crate::config::tests::settings;
use crate::mock::{MockCluster, Producer, ToProduce};
use spate_runtime::id::Watermark;

/// Longer than anything here takes; a test that hits it has failed.
const PATIENCE: Duration = Duration::from_secs(30);
const STEP: Duration = Duration::from_millis(50);
const TOPIC: &str = "orders";

/// A broker, and how to make sources for it.
struct World {
    cluster: MockCluster,
    producer: Producer,
    settings: Settings,
}

impl World {
    fn new(partitions: u32) -> Self {
        let cluster = MockCluster::start().unwrap();
        cluster.create_topic(TOPIC, partitions);
        let brokers = cluster.brokers();
        let producer = Producer::new(&brokers, TOPIC, &[]).unwrap();
        let mut settings = settings(&brokers, TOPIC, "etl");
        settings.passed = vec![
            ("heartbeat.interval.ms".to_owned(), "100".to_owned()),
            ("reconnect.backoff.ms".to_owned(), "20".to_owned()),
            ("retry.backoff.ms".to_owned(), "20".to_owned()),
            ("fetch.wait.max.ms".to_owned(), "50".to_owned()),
        ];
        Self { cluster, producer, settings }
    }

    fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// A source that has joined nothing.
    fn bare(&self) -> KafkaSource {
        KafkaSource::new(self.settings.clone()).unwrap()
    }

    fn source(&self) -> TestMember {
        let mut source = self.bare();
        source.start().unwrap();
        TestMember::new(source)
    }

    fn send(&self, partition: u32, values: &[&[u8]]) {
        for value in values {
            self.produce(partition, ToProduce { value: Some(value), ..ToProduce::default() });
        }
    }

    fn send_numbered(&self, partition: u32, range: std::ops::Range<u32>) {
        for number in range {
            let text = number.to_string();
            self.send(partition, &[text.as_bytes()]);
        }
        self.flush();
    }

    fn produce(&self, partition: u32, record: ToProduce<'_>) {
        self.producer.send(partition, record).unwrap();
    }

    fn flush(&self) {
        self.producer.flush(PATIENCE).unwrap();
    }
}

/// A member of the group, run by the test itself.
struct TestMember {
    source: KafkaSource,
    lanes: BTreeMap<u32, Box<dyn Lane>>,
    events: Vec<String>,
    starts: Vec<(u32, u64)>,
}

/// What a test got out of a lane.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Got {
    offset: u64,
    value: Option<Vec<u8>>,
}

impl TestMember {
    fn new(source: KafkaSource) -> Self {
        Self { source, lanes: BTreeMap::new(), events: Vec::new(), starts: Vec::new() }
    }

    /// Polls once and takes assigned lanes.
    fn poll(&mut self) -> Option<SourceEvent> {
        let event = self.source.poll(STEP).unwrap()?;
        match event {
            SourceEvent::Assigned(assigned) => {
                self.events.push(format!("assigned {}", assigned.len()));
                self.starts
                    .extend(assigned.iter().map(|one| (one.partition.id, one.start.0)));
                for Assigned { partition, lane, .. } in assigned {
                    let before = self.lanes.insert(partition.id, lane);
                    assert!(before.is_none(), "{partition} assigned twice");
                }
                None
            }
            event => {
                self.events.push(match &event {
                    SourceEvent::Revoked(partitions) => format!("revoked {}", partitions.len()),
                    SourceEvent::Lost(partitions) => format!("lost {}", partitions.len()),
                    SourceEvent::Ended => "ended".to_owned(),
                    SourceEvent::Warning(text) => format!("warning {text}"),
                    SourceEvent::Assigned(_) => unreachable!(),
                });
                Some(event)
            }
        }
    }

    /// Polls until `done` says so, answering revokes at once.
    fn until(&mut self, what: &str, mut done: impl FnMut(&mut Self) -> bool) {
        let clock = Clock::real();
        let deadline = clock.now() + PATIENCE;
        while !done(self) {
            assert!(
                clock.now() < deadline,
                "{what} did not come: {:?} {:?}",
                self.events,
                self.starts
            );
            self.step();
        }
    }

    /// Polls once and answers a revoke at once.
    fn step(&mut self) {
        if let Some(SourceEvent::Revoked(gone) | SourceEvent::Lost(gone)) = self.poll() {
            for partition in &gone {
                self.lanes.remove(&partition.id);
            }
            self.source.released(&gone);
        }
    }

    fn until_lanes(&mut self, count: usize) {
        self.until("lanes", |member| member.lanes.len() == count);
    }

    /// Takes what is there of one partition; polls in between.
    fn take(&mut self, partition: u32, count: usize) -> Vec<Got> {
        let mut got = Vec::new();
        self.until("records", |member| {
            let lane = member.lanes.get_mut(&partition).expect("the lane is ours");
            while lane.fill().unwrap() == Filled::Payloads {
                got.extend(lane.batch().payloads().iter().map(|payload| Got {
                    offset: payload.offset.0,
                    value: payload.value.map(<[u8]>::to_vec),
                }));
                lane.release();
            }
            got.len() >= count
        });
        got
    }

    fn offsets(&mut self, partition: u32, count: usize) -> Vec<u64> {
        self.take(partition, count)
            .iter()
            .map(|got| got.offset)
            .collect()
    }

    fn commit(&mut self, partition: u32, watermark: u64, note: &str) -> Result<(), SourceError> {
        self.source.commit(&[Commit {
            partition: Partition::new(TOPIC, partition),
            watermark: Watermark(watermark),
            note: Note(note.to_owned()),
        }])
    }

    fn leave(mut self) {
        self.lanes.clear();
        self.source.close();
    }
}

/// R002: all read and committed, nothing is read again.
#[test]
fn records_come_once_and_a_commit_is_where_the_next_one_begins() {
    let world = World::new(2);
    world.send_numbered(0, 0..42);
    let mut member = world.source();
    member.until_lanes(2);
    assert_eq!(member.offsets(0, 42), (0..42).collect::<Vec<_>>());
    member.commit(0, 42, "spate1;i=00000000000000ff").unwrap();
    member.leave();

    let mut again = world.bare();
    again.start().unwrap();
    let assigned = loop {
        if let Some(SourceEvent::Assigned(assigned)) = again.poll(STEP).unwrap() {
            break assigned;
        }
    };
    let found: Vec<_> = assigned
        .iter()
        .map(|assigned| (assigned.partition.id, assigned.start.0, assigned.note.clone()))
        .collect();
    let note = Note("spate1;i=00000000000000ff".to_owned());
    assert_eq!(found, vec![(0, 42, Some(note)), (1, 0, None)]);
}

/// R029: an absent value, an empty one and a value are three things.
#[test]
fn a_tombstone_is_absent_and_an_empty_value_is_not() {
    let world = World::new(1);
    for value in [Some(&b"{\"v\":1}"[..]), None, Some(b""), Some(b"{\"v\":2}")] {
        world.produce(0, ToProduce { value, key: Some(b"k"), ..ToProduce::default() });
    }
    world.flush();
    let mut member = world.source();
    member.until_lanes(1);
    let values: Vec<_> = member.take(0, 4).into_iter().map(|got| got.value).collect();
    let expected =
        vec![Some(b"{\"v\":1}".to_vec()), None, Some(Vec::new()), Some(b"{\"v\":2}".to_vec())];
    assert_eq!(values, expected);
}

#[test]
fn key_timestamp_and_headers_come_along() {
    let world = World::new(1);
    let record = ToProduce {
        key: Some(b"key"),
        value: Some(b"value"),
        timestamp_ms: 1_735_689_600_123,
        headers: &[(c"trace", Some(b"ab")), (c"empty", Some(b"")), (c"none", None)],
    };
    world.produce(0, record);
    world.produce(0, ToProduce { value: Some(b"bare"), ..ToProduce::default() });
    world.flush();
    let mut member = world.source();
    member.until_lanes(1);
    let mut seen = Vec::new();
    member.until("both records", |member| {
        let lane = member.lanes.get_mut(&0).unwrap();
        while lane.fill().unwrap() == Filled::Payloads {
            let batch = lane.batch();
            for payload in batch.payloads() {
                let meta = batch.meta(payload);
                let mut headers = Vec::new();
                meta.headers(&mut |name, value| {
                    headers.push((name.to_owned(), value.map(<[u8]>::to_vec)));
                });
                seen.push((meta.key().map(<[u8]>::to_vec), meta.timestamp_ms(), headers));
            }
            lane.release();
        }
        seen.len() == 2
    });
    let headers = vec![
        ("trace".to_owned(), Some(b"ab".to_vec())),
        ("empty".to_owned(), Some(Vec::new())),
        ("none".to_owned(), None),
    ];
    assert_eq!(seen[0], (Some(b"key".to_vec()), Some(1_735_689_600_123), headers));
    assert_eq!((&seen[1].0, seen[1].2.len()), (&None, 0));
}

/// Whatever arrives after an empty fill calls the waker; a hundred times over.
#[test]
fn every_arrival_after_an_empty_fill_wakes_the_lane() {
    let world = World::new(1);
    let mut member = world.source();
    member.until_lanes(1);
    let (wakes, woken) = mpsc::channel();
    let lane = member.lanes.get_mut(&0).unwrap();
    lane.set_waker(Arc::new(move || wakes.send(()).unwrap_or(())));
    for round in 0..100 {
        assert_eq!(lane.fill().unwrap(), Filled::Empty);
        while woken.try_recv().is_ok() {}
        assert_eq!(lane.fill().unwrap(), Filled::Empty, "{round}");
        world.send(0, &[b"x"]);
        loop {
            woken.recv_timeout(PATIENCE).expect("the waker is called");
            if lane.fill().unwrap() == Filled::Payloads {
                break;
            }
        }
        assert_eq!(lane.batch().payloads()[0].offset.0, round);
        lane.release();
    }
}

/// R018: the same partition revoked and assigned again to the same member; each time its lane is
/// woken for new records, although the old lane was dropped in between.
#[test]
fn a_partition_that_comes_back_still_wakes_its_lane() {
    let world = World::new(1).with(|settings| settings.assignment = "range".to_owned());
    let mut member = world.source();
    member.until_lanes(1);
    let mut total = 0;
    for _round in 0..3 {
        // Unknown to the group: everything is lost, and the member joins anew.
        world
            .cluster
            .fail(HEARTBEAT, &[E::RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID]);
        member.until("the loss", |member| {
            member.events.iter().any(|event| event.starts_with("lost"))
        });
        member.events.clear();
        member.until_lanes(1);
        let (wakes, woken) = mpsc::channel();
        let lane = member.lanes.get_mut(&0).unwrap();
        lane.set_waker(Arc::new(move || wakes.send(()).unwrap_or(())));
        while lane.fill().unwrap() == Filled::Payloads {
            lane.release();
        }
        while woken.try_recv().is_ok() {}
        world.send_numbered(0, 0..10);
        let mut fresh = 0;
        while fresh < 10 {
            woken.recv_timeout(PATIENCE).expect("the waker is called");
            while lane.fill().unwrap() == Filled::Payloads {
                fresh += lane.batch().payloads().len();
                lane.release();
            }
        }
        total += fresh;
        member.commit(0, total as u64, "").unwrap();
    }
    assert_eq!(total, 30);
}

/// R015: a commit that meets a rebalance is refused for now; the next one carries the newer
/// watermark, and nothing stops.
#[test]
fn a_commit_refused_by_the_group_is_tried_again_later() {
    let world = World::new(1);
    world.send_numbered(0, 0..10);
    let mut member = world.source();
    member.until_lanes(1);
    member.take(0, 10);
    world
        .cluster
        .fail(OFFSET_COMMIT, &[E::RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION]);
    let error = member.commit(0, 5, "").unwrap_err();
    assert_eq!(error.class(), Class::Remote, "{error}");
    // The group forms anew meanwhile, and may refuse some more.
    member.until("the commit", |member| {
        let committed = member.commit(0, 10, "n");
        assert!(
            committed
                .as_ref()
                .map_or_else(SourceError::class, |()| Class::Remote)
                == Class::Remote
        );
        member.lanes.len() == 1 && committed.is_ok()
    });
    let client = member.source.client().unwrap();
    let found = ask(&client, &[Entry::of(TOPIC, 0)], PATIENCE).unwrap();
    assert_eq!(found[0].known.committed, Some((10, "n".to_owned())));
}

#[test]
fn a_commit_that_may_not_be_made_names_who_must_act() {
    let world = World::new(1);
    let mut member = world.source();
    member.until_lanes(1);
    for (code, word) in [
        (E::RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, "group"),
        (E::RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE, "metadata"),
    ] {
        world.cluster.fail(OFFSET_COMMIT, &[code]);
        let error = member.commit(0, 0, "").unwrap_err();
        assert_eq!(error.class(), Class::Config, "{error}");
        assert!(
            error.hint().is_some_and(|hint| hint.contains(word)),
            "{error}: {:?}",
            error.hint()
        );
    }
}

/// R016: a watermark of a partition that is gone is dropped, and not an error.
#[test]
fn a_commit_of_a_partition_that_is_gone_is_nothing() {
    let world = World::new(2);
    let mut member = world.source();
    member.until_lanes(2);
    member.lanes.remove(&1);
    member.source.released(&[Partition::new(TOPIC, 1)]);
    member.commit(1, 7, "").unwrap();
    let client = member.source.client().unwrap();
    assert_eq!(
        ask(&client, &[Entry::of(TOPIC, 1)], PATIENCE).unwrap()[0]
            .known
            .committed,
        None
    );
}

/// R025: the log lost what was committed; by default that is an error with all three numbers.
#[test]
fn a_position_out_of_range_stops_with_its_numbers() {
    let world = World::new(1);
    world.send_numbered(0, 0..5);
    let mut member = world.source();
    member.until_lanes(1);
    member.commit(0, 1000, "").unwrap();
    member.leave();

    let mut again = world.bare();
    let findings = again.check();
    let finding = findings
        .0
        .iter()
        .find(|finding| finding.code == "S044")
        .expect("S044");
    assert_eq!(finding.severity, Severity::Error);
    assert!(finding.text.contains("1000") && finding.text.contains("ends at 5"), "{finding:?}");
    again.start().unwrap();
    let error = loop {
        match again.poll(STEP) {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!(error.class(), Class::Config);
    for word in ["1000", "begins at 0", "ends at 5", "orders[0]"] {
        assert!(error.to_string().contains(word), "{error}");
    }
}

/// R009, R027: `latest` begins at the end, says where that is at once, and new partitions are
/// read from their start.
#[test]
fn latest_begins_at_the_end_and_says_so() {
    let world = World::new(1).with(|settings| settings.start = Start::Latest);
    world.send_numbered(0, 0..500);
    let mut source = world.bare();
    source.start().unwrap();
    let assigned = loop {
        if let Some(SourceEvent::Assigned(assigned)) = source.poll(STEP).unwrap() {
            break assigned;
        }
    };
    assert_eq!((assigned[0].start.0, assigned[0].note.clone()), (500, None));
    let ends = source.log_ends();
    assert_eq!(ends[0].end.0, 500);
}

/// R019: nothing is given back before `released`, and the source polls on in between.
#[test]
fn a_revoked_partition_is_given_back_only_when_released() {
    for (assignment, kept) in [("range", 0), ("cooperative-sticky", 2)] {
        let world = World::new(4).with(|settings| settings.assignment = assignment.to_owned());
        let mut first = world.source();
        first.until_lanes(4);
        let mut second = world.source();
        let clock = Clock::real();
        let deadline = clock.now() + PATIENCE;
        let revoked = loop {
            assert!(clock.now() < deadline, "{assignment}: no revoke: {:?}", first.events);
            second.poll();
            if let Some(SourceEvent::Revoked(revoked)) = first.poll() {
                break revoked;
            }
        };
        assert_eq!(revoked.len(), 4 - kept, "{assignment}");
        for _ in 0..10 {
            assert!(first.poll().is_none());
            second.poll();
        }
        assert!(second.lanes.is_empty(), "{assignment}: given away before it was released");
        for partition in &revoked {
            first.lanes.remove(&partition.id);
        }
        // One by one or together: they are given back when the last one is there.
        for partition in &revoked {
            first.source.released(std::slice::from_ref(partition));
        }
        while (first.lanes.len(), second.lanes.len()) != (2, 2) {
            assert!(clock.now() < deadline, "{assignment}: {:?} {:?}", first.events, second.events);
            first.step();
            second.step();
        }
        second.leave();
        first.until_lanes(4);
        first.leave();
    }
}

/// A bounded run ends at the ends of the logs as they were when it began.
#[test]
fn a_bounded_run_ends_where_the_logs_ended() {
    let world = World::new(3).with(|settings| settings.until_end = true);
    world.send_numbered(0, 0..10);
    world.send_numbered(1, 0..1);
    let mut member = world.source();
    member.until_lanes(3);
    world.send_numbered(0, 10..20);
    let mut counts = [0; 3];
    let mut ended = [false; 3];
    member.until("the end", |member| {
        for (id, lane) in &mut member.lanes {
            let index = *id as usize;
            loop {
                match lane.fill().unwrap() {
                    Filled::Payloads => counts[index] += lane.batch().payloads().len(),
                    Filled::Empty => break,
                    Filled::Ended => {
                        ended[index] = true;
                        break;
                    }
                }
                lane.release();
            }
        }
        member.events.iter().any(|event| event == "ended")
    });
    assert_eq!(counts, [10, 1, 0]);
    assert_eq!(ended, [true; 3]);
    let before = member.events.len();
    member.poll();
    assert_eq!(member.events.len(), before, "the end is told once");
}

/// R021: a pause gives prefetched records back, and reading resumes at the first one not taken,
/// also where it stood at the end of the log.
#[test]
fn a_paused_partition_resumes_where_it_stood() {
    let world = World::new(1).with(|settings| settings.batch_max = 7);
    world.send_numbered(0, 0..20);
    let mut member = world.source();
    member.until_lanes(1);
    let partition = Partition::new(TOPIC, 0);
    let lane = member.lanes.get_mut(&0).unwrap();
    while lane.fill().unwrap() != Filled::Payloads {}
    let first = lane.batch().payloads().len();
    lane.release();
    member.source.set_paused(&partition, true);
    member.source.set_paused(&partition, false);
    let rest = member.offsets(0, 20 - first);
    assert_eq!(rest, (first as u64..20).collect::<Vec<_>>());

    for round in 0..5 {
        member.source.set_paused(&partition, true);
        world.send_numbered(0, 20 + round..21 + round);
        member.source.set_paused(&partition, false);
        assert_eq!(member.offsets(0, 1), vec![u64::from(20 + round)]);
    }
}

/// R010, R004: without anything to read, position and log end agree.
#[test]
fn a_lane_at_the_end_has_no_position_beyond_it() {
    let world = World::new(1);
    world.send_numbered(0, 0..3);
    let mut member = world.source();
    member.until_lanes(1);
    member.take(0, 3);
    assert_eq!(member.lanes[&0].position(), None);
    assert_eq!(member.source.log_ends()[0].end.0, 3);
}

/// R032: all five codecs are built in.
#[test]
fn every_codec_can_be_read() {
    let world = World::new(1);
    for codec in ["none", "gzip", "snappy", "lz4", "zstd"] {
        let settings = [("compression.codec", codec)];
        let producer = Producer::new(&world.cluster.brokers(), TOPIC, &settings).unwrap();
        for _ in 0..10 {
            let value = codec.repeat(100);
            let record = ToProduce { value: Some(value.as_bytes()), ..ToProduce::default() };
            producer.send(0, record).unwrap();
        }
        producer.flush(PATIENCE).unwrap();
    }
    let mut member = world.source();
    member.until_lanes(1);
    let got = member.take(0, 50);
    assert_eq!(got.len(), 50);
    assert_eq!(got[49].value.as_deref(), Some("zstd".repeat(100).as_bytes()));
}

#[test]
fn the_preflight_reports_every_topic_and_what_is_well() {
    let world = World::new(4).with(|settings| settings.topics.push("payments".to_owned()));
    let findings = world.bare().check();
    let errors: Vec<_> = findings
        .0
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .collect();
    assert_eq!(errors.len(), 1, "{findings:?}");
    assert!(errors[0].code == "S042" && errors[0].text.contains("payments"), "{errors:?}");
    assert!(
        findings
            .0
            .iter()
            .any(|finding| finding.text.contains("4 partitions"))
    );
}

/// R140: a broker that does not answer is not a broker that refuses.
#[test]
fn an_absent_broker_is_unreachable_and_comes_back() {
    let world =
        World::new(1).with(|settings| settings.request_timeout = Duration::from_millis(500));
    world.cluster.set_up(false);
    let mut source = world.bare();
    let findings = source.check();
    assert_eq!(findings.0.len(), 1, "{findings:?}");
    assert_eq!(findings.0[0].severity, Severity::Unreachable, "{findings:?}");
    assert!(findings.0[0].text.contains("do not answer"), "{findings:?}");
    world.cluster.set_up(true);
    let mut source = world.bare();
    assert!(!source.check().has_errors());
}

/// R024: a close ends, whatever the brokers do, and the last commit is there.
#[test]
fn a_close_ends_even_when_the_brokers_are_gone() {
    let world = World::new(1).with(|settings| settings.request_timeout = Duration::from_secs(1));
    let mut member = world.source();
    member.until_lanes(1);
    world.cluster.set_up(false);
    let clock = Clock::real();
    let before = clock.now();
    member.leave();
    assert!(clock.now() - before < Duration::from_secs(10));
}

/// R023: a member for which no partition is left is told so, which is an assignment.
#[test]
fn an_empty_assignment_is_reported() {
    let world = World::new(1).with(|settings| settings.assignment = "range".to_owned());
    let mut first = world.source();
    first.until_lanes(1);
    let mut second = world.source();
    first.until("the empty assignment", |first| {
        second.step();
        let mut events = first.events.iter().chain(&second.events);
        events.any(|event| event == "assigned 0") && first.lanes.len() + second.lanes.len() == 1
    });
}

/// No allocation in Rust and none per message: a steady fill and release only calls librdkafka.
#[test]
fn a_steady_fill_and_release_allocates_nothing() {
    let world = World::new(1);
    world.send_numbered(0, 0..20_000);
    let mut member = world.source();
    member.until_lanes(1);
    let lane = member.lanes.get_mut(&0).unwrap();
    let (mut count, mut allocations) = (0, 0);
    while count < 20_000 {
        let before = ALLOCATIONS.with(Cell::get);
        if lane.fill().unwrap() == Filled::Payloads {
            count += lane
                .batch()
                .payloads()
                .iter()
                .filter(|payload| payload.value.is_some())
                .count();
            lane.release();
        }
        allocations += ALLOCATIONS.with(Cell::get) - before;
    }
    // The leader's epoch is noted once.
    assert!(allocations <= 1, "{allocations} allocations for {count} records");
}

const OFFSET_COMMIT: i16 = 8;
const HEARTBEAT: i16 = 12;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts the allocations of each thread.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends may allocate after its locals are gone.
        ALLOCATIONS
            .try_with(|count| count.set(count.get() + 1))
            .unwrap_or(());
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(start, layout) }
    }
}
