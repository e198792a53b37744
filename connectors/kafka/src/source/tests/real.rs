//! What only a real broker does: transactions, deleted records, new partitions, static members.
//!
//! Reads `SPATE_TEST_KAFKA` (`host:port`); `tests/services/run` sets it.

use std::sync::atomic::{AtomicU64, Ordering};

use rdkafka::admin::{AdminClient, AdminOptions, NewPartitions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use rdkafka::topic_partition_list::{Offset as At, TopicPartitionList};

use super::*;
use crate::config::OutOfRange;

/// A topic of its own on a real broker.
struct Real {
    brokers: String,
    topic: String,
    admin: AdminClient<DefaultClientContext>,
}

impl Real {
    /// `None`, and a line that says so, where there is no broker.
    fn new(partitions: i32) -> Option<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let Ok(brokers) = std::env::var("SPATE_TEST_KAFKA") else {
            println!("skipped: SPATE_TEST_KAFKA is not set (tests/services/run sets it)");
            return None;
        };
        let now = spate_runtime::clock::unix_millis();
        let topic = format!("lane-{now}-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let admin = client(&brokers).create().unwrap();
        let real = Self { brokers, topic, admin };
        let new = NewTopic::new(&real.topic, partitions, TopicReplication::Fixed(1));
        let made = wait(real.admin.create_topics([&new], &AdminOptions::new())).unwrap();
        assert!(made.iter().all(Result::is_ok), "{made:?}");
        Some(real)
    }

    fn settings(&self) -> Settings {
        let mut settings = settings(&self.brokers, &self.topic, &self.topic);
        settings.metadata = Duration::from_secs(1);
        settings.passed = vec![
            ("heartbeat.interval.ms".to_owned(), "200".to_owned()),
            ("fetch.wait.max.ms".to_owned(), "50".to_owned()),
        ];
        settings
    }

    fn member(&self, change: impl FnOnce(&mut Settings)) -> TestMember {
        let mut settings = self.settings();
        change(&mut settings);
        let mut source = KafkaSource::new(settings).unwrap();
        source.start().unwrap();
        TestMember::new(source)
    }

    fn send(&self, partition: i32, count: usize) {
        let producer: BaseProducer = client(&self.brokers).create().unwrap();
        self.send_with(&producer, partition, count);
        producer.flush(PATIENCE).unwrap();
    }

    fn send_with(&self, producer: &BaseProducer, partition: i32, count: usize) {
        for _ in 0..count {
            let record: BaseRecord<'_, (), str> = BaseRecord::to(&self.topic);
            producer
                .send(record.partition(partition).payload("x"))
                .map_err(|(error, _)| error)
                .unwrap();
        }
    }

    fn commit(&self, member: &mut TestMember, partition: u32, watermark: u64) {
        member
            .source
            .commit(&[Commit {
                partition: Partition::new(self.topic.as_str(), partition),
                watermark: Watermark(watermark),
                note: Note("spate1;i=00000000000000ff".to_owned()),
            }])
            .unwrap();
    }
}

fn client(brokers: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", brokers);
    config
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(future)
}

/// R004: control markers at the end of the log are passed, aborted records are not read, and the
/// lag ends at 0, in an endless run and in a bounded one.
#[test]
fn a_transactional_topic_ends_with_lag_zero() {
    let Some(real) = Real::new(1) else { return };
    let producer: BaseProducer = client(&real.brokers)
        .set("transactional.id", &real.topic)
        .create()
        .unwrap();
    producer.init_transactions(PATIENCE).unwrap();
    for (count, keep) in [(3, true), (5, false), (2, true), (4, false)] {
        producer.begin_transaction().unwrap();
        real.send_with(&producer, 0, count);
        producer.flush(PATIENCE).unwrap();
        let done = if keep {
            producer.commit_transaction(PATIENCE)
        } else {
            producer.abort_transaction(PATIENCE)
        };
        done.unwrap();
    }
    // 3 + marker, 5 + marker, 2 + marker, 4 + marker.
    let mut member = real.member(|_| {});
    member.until_lanes(1);
    assert_eq!(member.offsets(0, 5), vec![0, 1, 2, 10, 11]);
    member.until("the end", |member| {
        let lane = member.lanes.get_mut(&0).unwrap();
        assert_eq!(lane.fill().unwrap(), Filled::Empty);
        lane.position() == Some(NextOffset(18))
    });
    assert_eq!(member.source.log_ends()[0].end.0, 18);
    real.commit(&mut member, 0, 18);
    member.leave();

    let mut bounded = real.member(|settings| {
        settings.until_end = true;
        settings.group.push_str("-bounded");
    });
    bounded.until_lanes(1);
    let mut offsets = Vec::new();
    bounded.until("the end", |member| {
        let lane = member.lanes.get_mut(&0).unwrap();
        while lane.fill().unwrap() == Filled::Payloads {
            offsets.extend(
                lane.batch()
                    .payloads()
                    .iter()
                    .map(|payload| payload.offset.0),
            );
            lane.release();
        }
        member.events.iter().any(|event| event == "ended")
    });
    assert_eq!(offsets, vec![0, 1, 2, 10, 11]);
    assert_eq!(bounded.lanes[&0].position(), Some(NextOffset(18)));
}

/// R025: retention passed the committed offset.
#[test]
fn deleted_records_are_told_and_never_jumped_over_silently() {
    let Some(real) = Real::new(1) else { return };
    real.send(0, 100);
    let mut member = real.member(|_| {});
    member.until_lanes(1);
    real.commit(&mut member, 0, 10);
    member.leave();
    let mut before = TopicPartitionList::new();
    before
        .add_partition_offset(&real.topic, 0, At::Offset(40))
        .unwrap();
    wait(real.admin.delete_records(&before, &AdminOptions::new())).unwrap();

    let mut source = KafkaSource::new(real.settings()).unwrap();
    source.start().unwrap();
    let error = loop {
        if let Err(error) = source.poll(STEP) {
            break error.to_string();
        }
    };
    for number in [" 10 ", " 40 ", " 100"] {
        assert!(error.contains(number), "{error}");
    }
    source.close();

    let mut member = real.member(|settings| settings.out_of_range = OutOfRange::Earliest);
    member.until_lanes(1);
    assert_eq!(member.offsets(0, 60), (40..100).collect::<Vec<_>>());
    member.poll();
    let warned = member
        .events
        .iter()
        .filter(|event| event.contains("30 offsets are lost"))
        .count();
    assert_eq!(warned, 1, "{:?}", member.events);
}

/// R025, while running: the log moves on under a lane that is paused.
#[test]
fn a_lane_that_retention_overtakes_fails_with_its_numbers() {
    let Some(real) = Real::new(1) else { return };
    real.send(0, 100);
    let mut member = real.member(|settings| {
        settings.batch_max = 10;
        settings
            .passed
            .push(("fetch.min.bytes".to_owned(), "1".to_owned()));
    });
    member.until_lanes(1);
    assert!(member.offsets(0, 10).len() >= 10);
    let partition = Partition::new(real.topic.as_str(), 0);
    member.source.set_paused(&partition, true);
    real.send(0, 100);
    let mut before = TopicPartitionList::new();
    before
        .add_partition_offset(&real.topic, 0, At::Offset(150))
        .unwrap();
    wait(real.admin.delete_records(&before, &AdminOptions::new())).unwrap();
    member.source.set_paused(&partition, false);
    let mut failed = None;
    member.until("the failure", |member| {
        let lane = member.lanes.get_mut(&0).unwrap();
        match lane.fill() {
            Ok(Filled::Payloads) => lane.release(),
            Ok(_) => {}
            Err(error) => failed = Some(error),
        }
        failed.is_some()
    });
    let error = failed.unwrap();
    assert_eq!(error.class(), Class::Config, "{error}");
    assert!(error.to_string().contains("begins at 150"), "{error}");
}

/// R027: partitions that appear while running are found and read from their start, although the
/// policy is `latest`.
#[test]
fn partitions_added_while_running_are_read_from_their_start() {
    let Some(real) = Real::new(3) else { return };
    let mut member = real.member(|settings| settings.start = Start::Latest);
    member.until_lanes(3);
    let grown = NewPartitions::new(&real.topic, 5);
    wait(real.admin.create_partitions([&grown], &AdminOptions::new())).unwrap();
    for partition in [3, 4] {
        real.send(partition, 10);
    }
    member.until_lanes(5);
    for partition in [3, 4] {
        assert_eq!(member.offsets(partition, 10), (0..10).collect::<Vec<_>>());
    }
}

/// A commit between revoke and release is the last word on a partition: the next owner begins
/// there. Holds under both protocols, with no record lost or repeated.
#[test]
fn what_is_committed_while_revoked_is_where_the_next_owner_begins() {
    for assignment in ["range", "cooperative-sticky"] {
        let Some(real) = Real::new(2) else { return };
        real.send(0, 20);
        real.send(1, 20);
        let change = |settings: &mut Settings| settings.assignment = assignment.to_owned();
        let mut first = real.member(change);
        first.until_lanes(2);
        first.take(0, 20);
        first.take(1, 20);
        let mut second = real.member(change);
        let mut starts = Vec::new();
        let clock = Clock::real();
        let deadline = clock.now() + PATIENCE;
        while starts.is_empty() {
            assert!(clock.now() < deadline, "{assignment}: {:?}", first.events);
            if let Some(SourceEvent::Revoked(revoked)) = first.poll() {
                for partition in &revoked {
                    real.commit(&mut first, partition.id, 17);
                    first.lanes.remove(&partition.id);
                }
                first.source.released(&revoked);
            }
            if let Some(SourceEvent::Assigned(assigned)) = second.source.poll(STEP).unwrap() {
                starts.extend(
                    assigned
                        .into_iter()
                        .map(|one| (one.start.0, one.note.is_some())),
                );
            }
        }
        assert_eq!(starts, vec![(17, true)], "{assignment}");
    }
}

/// R017, R022: a static member that restarts within its session gets its partitions back, and
/// nobody else notices.
#[test]
fn a_static_member_that_restarts_moves_nothing() {
    let Some(real) = Real::new(2) else { return };
    let named = |id: &str| {
        let id = id.to_owned();
        move |settings: &mut Settings| {
            settings.instance_id = Some(id);
            settings.assignment = "range".to_owned();
            settings.session_timeout = Duration::from_secs(30);
        }
    };
    let mut first = real.member(named("etl-0"));
    first.until_lanes(2);
    let mut second = real.member(named("etl-1"));
    let clock = Clock::real();
    let deadline = clock.now() + PATIENCE;
    while (first.lanes.len(), second.lanes.len()) != (1, 1) {
        assert!(clock.now() < deadline, "{:?} {:?}", first.events, second.events);
        for member in [&mut first, &mut second] {
            member.step();
        }
    }
    first.events.clear();
    let owned: Vec<_> = second.lanes.keys().copied().collect();
    second.leave();
    let mut again = real.member(named("etl-1"));
    while again.lanes.is_empty() {
        assert!(clock.now() < deadline + PATIENCE, "{:?} {:?}", first.events, again.events);
        again.poll();
        assert!(first.poll().is_none(), "{:?}", first.events);
    }
    assert_eq!(again.lanes.keys().copied().collect::<Vec<_>>(), owned);
    assert!(first.events.is_empty(), "{:?}", first.events);
}
