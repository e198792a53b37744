//! Kafka as a test sees it: makes topics, fills them, reads what a group has committed.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, NewPartitions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::Message as _;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use rdkafka::{Offset, TopicPartitionList};

use super::until;

const WAIT: Duration = Duration::from_secs(60);

/// The broker.
#[derive(Debug)]
pub(crate) struct Kafka {
    pub(crate) brokers: String,
}

impl Kafka {
    fn client(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", &self.brokers);
        config
    }

    fn admin(&self) -> AdminClient<DefaultClientContext> {
        self.client().create().unwrap()
    }

    /// Makes a topic; `settings` are the topic's own.
    #[track_caller]
    pub(crate) fn create(&self, name: &str, partitions: i32, settings: &[(&str, &str)]) {
        let topic = NewTopic::new(name, partitions, TopicReplication::Fixed(1));
        let topic = settings
            .iter()
            .fold(topic, |topic, (key, value)| topic.set(key, value));
        let results = wait(self.admin().create_topics(&[topic], &AdminOptions::new())).unwrap();
        results.into_iter().for_each(|result| drop(result.unwrap()));
        let consumer = self.consumer("created");
        // The broker makes it, then tells itself of it.
        until("the topic is there", || self.try_partitions(&consumer, name) == partitions);
    }

    /// Raises the number of partitions of a topic.
    #[track_caller]
    pub(crate) fn grow(&self, topic: &str, partitions: usize) {
        let partitions = NewPartitions::new(topic, partitions);
        let admin = self.admin();
        let results = wait(admin.create_partitions(&[partitions], &AdminOptions::new())).unwrap();
        results.into_iter().for_each(|result| drop(result.unwrap()));
    }

    /// Deletes what lies before `offset`, as retention would.
    #[track_caller]
    pub(crate) fn cut(&self, topic: &str, partition: i32, offset: i64) {
        let mut before = TopicPartitionList::new();
        before
            .add_partition_offset(topic, partition, Offset::Offset(offset))
            .unwrap();
        drop(wait(self.admin().delete_records(&before, &AdminOptions::new())).unwrap());
    }

    /// A producer; `settings` are librdkafka's.
    pub(crate) fn producer(&self, settings: &[(&str, &str)]) -> Producer {
        let mut config = self.client();
        config.set("linger.ms", "5");
        // Without it a batch that is sent again stands behind its successors.
        config.set("enable.idempotence", "true");
        for (key, value) in settings {
            config.set(*key, *value);
        }
        Producer(config.create().unwrap())
    }

    fn consumer(&self, group: &str) -> BaseConsumer {
        self.client()
            .set("group.id", group)
            .set("enable.auto.commit", "false")
            .create()
            .unwrap()
    }

    /// What `group` has committed of each partition that has a commit.
    #[track_caller]
    pub(crate) fn committed(&self, group: &str, topic: &str) -> BTreeMap<i32, u64> {
        let consumer = self.consumer(group);
        let mut list = TopicPartitionList::new();
        for partition in 0..self.partitions(&consumer, topic) {
            list.add_partition(topic, partition);
        }
        let mut committed = None;
        until("the coordinator answers", || {
            committed = consumer.committed_offsets(list.clone(), WAIT).ok();
            committed.is_some()
        });
        let committed = committed.expect("it answered");
        let offset_of = |offset| match offset {
            Offset::Offset(offset) => u64::try_from(offset).ok(),
            _ => None,
        };
        committed
            .elements()
            .iter()
            .filter_map(|entry| Some((entry.partition(), offset_of(entry.offset())?)))
            .collect()
    }

    /// Commits for a group that has no members.
    #[track_caller]
    pub(crate) fn commit(&self, group: &str, topic: &str, partition: i32, offset: i64) {
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(topic, partition, Offset::Offset(offset))
            .unwrap();
        let consumer = self.consumer(group);
        consumer.commit(&list, CommitMode::Sync).unwrap();
    }

    /// The end of the log of each partition.
    #[track_caller]
    pub(crate) fn ends(&self, topic: &str) -> BTreeMap<i32, u64> {
        let consumer = self.consumer("ends");
        (0..self.partitions(&consumer, topic))
            .map(|partition| {
                let (_, end) = consumer.fetch_watermarks(topic, partition, WAIT).unwrap();
                (partition, u64::try_from(end).unwrap())
            })
            .collect()
    }

    /// The offsets that partition 0 of a topic still has, up to `end`, whatever their transactions.
    #[track_caller]
    pub(crate) fn offsets(&self, topic: &str, end: u64) -> Vec<u64> {
        let consumer: BaseConsumer = self
            .client()
            .set("group.id", "offsets")
            .set("enable.auto.commit", "false")
            .set("enable.partition.eof", "true")
            .set("isolation.level", "read_uncommitted")
            .create()
            .unwrap();
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(topic, 0, Offset::Beginning)
            .unwrap();
        consumer.assign(&list).unwrap();
        let mut offsets = Vec::new();
        loop {
            match consumer.poll(WAIT) {
                Some(Ok(message)) => offsets.push(u64::try_from(message.offset()).unwrap()),
                Some(Err(KafkaError::PartitionEOF(_))) => return offsets,
                other => panic!("no end of {topic} at {end}: {other:?}"),
            }
        }
    }

    /// A member of `group` that takes its share of `topic` and never reads it: stays a member for
    /// as long as [`Member::serve`] is called.
    pub(crate) fn join(&self, group: &str, topic: &str, strategy: &str) -> Member {
        let consumer: BaseConsumer = self
            .client()
            .set("group.id", group)
            .set("enable.auto.commit", "false")
            .set("partition.assignment.strategy", strategy)
            .set("session.timeout.ms", "6000")
            .set("heartbeat.interval.ms", "300")
            .set("fetch.wait.max.ms", "100")
            .create()
            .unwrap();
        consumer.subscribe(&[topic]).unwrap();
        Member(consumer)
    }

    #[track_caller]
    fn partitions(&self, consumer: &BaseConsumer, topic: &str) -> i32 {
        let count = self.try_partitions(consumer, topic);
        assert!(count > 0, "topic {topic} is not there at {}", self.brokers);
        count
    }

    fn try_partitions(&self, consumer: &BaseConsumer, topic: &str) -> i32 {
        let metadata = consumer.fetch_metadata(Some(topic), WAIT).unwrap();
        i32::try_from(metadata.topics()[0].partitions().len()).unwrap()
    }
}

/// Another consumer in the group.
pub(crate) struct Member(BaseConsumer);

impl Member {
    /// Serves the group for a moment and drops what it read; how many partitions it has.
    pub(crate) fn serve(&self) -> usize {
        drop(self.0.poll(Duration::from_millis(20)));
        self.0.assignment().map_or(0, |list| list.count())
    }
}

/// Writes records.
pub(crate) struct Producer(BaseProducer);

impl Producer {
    /// Sends one record; waits only while the queue is full.
    pub(crate) fn send(&self, topic: &str, partition: i32, key: &[u8], value: Option<&[u8]>) {
        let record: BaseRecord<'_, [u8], [u8]> =
            BaseRecord::to(topic).partition(partition).key(key);
        let mut record = match value {
            Some(value) => record.payload(value),
            None => record,
        };
        while let Err((error, refused)) = self.0.send(record) {
            assert_eq!(error.rdkafka_error_code(), Some(RDKafkaErrorCode::QueueFull), "{error}");
            self.0.poll(Duration::from_millis(10));
            record = refused;
        }
    }

    /// Sends `{"n":..}` for each number, dealt to `partitions` in turn; returns when all are
    /// written.
    pub(crate) fn numbers(&self, topic: &str, partitions: u64, numbers: std::ops::Range<u64>) {
        for n in numbers {
            let partition = i32::try_from(n % partitions).unwrap();
            let value = format!("{{\"n\":{n}}}");
            self.send(topic, partition, n.to_string().as_bytes(), Some(value.as_bytes()));
        }
        self.flush();
    }

    /// Returns when everything sent is written.
    #[track_caller]
    pub(crate) fn flush(&self) {
        self.0.flush(WAIT).unwrap();
        assert_eq!(self.0.in_flight_count(), 0);
    }

    pub(crate) fn init_transactions(&self) {
        self.0.init_transactions(WAIT).unwrap();
    }

    pub(crate) fn begin(&self) {
        self.0.begin_transaction().unwrap();
    }

    pub(crate) fn end(&self, commit: bool) {
        // Flushed, so that the log holds what is aborted.
        self.flush();
        let ended =
            if commit { self.0.commit_transaction(WAIT) } else { self.0.abort_transaction(WAIT) };
        ended.unwrap();
    }
}

/// Waits for a future that wakes its thread.
fn wait<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}
