//! What it costs to take records out of librdkafka: batches of borrowed messages against the safe
//! binding's one message at a time.
//!
//! Both read the same records of the same mock broker, alternately, each with a fresh group; the
//! counts and sums must agree. Run with `cargo bench -p spate-kafka --bench consume`.
//! Measured: CPU of the thread that takes the records, and of the whole process (which includes
//! the broker and librdkafka's own threads, the same for both), from the first record to the last.

#![expect(unsafe_code, reason = "reads the CPU clocks")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints or fails")]

use std::collections::BTreeMap;
use std::time::Duration;

use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::Message;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use spate_kafka::Kafka;
use spate_runtime::config::Section;
use spate_runtime::connector::SourceConnector;
use spate_runtime::lane::source::{Filled, Lane, SourceEvent};

const PARTITIONS: i32 = 8;
const RECORDS_EACH: usize = 18_000;
const RECORDS: usize = RECORDS_EACH * 8;
const ROUNDS: usize = 9;
const TOPIC: &str = "orders";

/// What one pass over the records cost and saw.
#[derive(Clone, Copy, Default)]
struct Pass {
    thread_ns: u64,
    process_ns: u64,
    records: usize,
    sum: u64,
}

fn main() {
    let cluster = MockCluster::new(1).unwrap();
    cluster.create_topic(TOPIC, PARTITIONS, 1).unwrap();
    let brokers = cluster.bootstrap_servers();
    produce(&brokers);
    let mut passes: [Vec<Pass>; 3] = Default::default();
    for round in 0..ROUNDS {
        passes[0].push(lanes(&brokers, &format!("lanes-{round}")));
        passes[1].push(safe(&brokers, &format!("safe-{round}"), false));
        passes[2].push(safe(&brokers, &format!("split-{round}"), true));
    }
    for pass in passes.iter().flatten() {
        assert_eq!((pass.records, pass.sum), (RECORDS, passes[0][0].sum), "all saw the same");
    }
    let medians = passes.map(|mut passes| {
        passes.sort_by_key(|pass| pass.thread_ns);
        let thread = passes[ROUNDS / 2].thread_ns / RECORDS as u64;
        passes.sort_by_key(|pass| pass.process_ns);
        (thread, passes[ROUNDS / 2].process_ns / RECORDS as u64)
    });
    println!("{RECORDS} records, {PARTITIONS} partitions, medians of {ROUNDS}, ns of CPU a record");
    let names = ["lanes (batches)", "BaseConsumer::poll", "split queues, poll"];
    for (name, (thread, process)) in names.iter().zip(medians) {
        println!("{name:20} thread {thread:5}   process {process:5}");
    }
}

fn produce(brokers: &str) {
    let producer: BaseProducer = ClientConfig::new()
        .set("bootstrap.servers", brokers)
        .set("linger.ms", "5")
        .set("queue.buffering.max.messages", "1000000")
        .create()
        .unwrap();
    for number in 0..RECORDS {
        let value = format!("{number:0>208}");
        let key = number.to_string();
        let partition = i32::try_from(number % 8).unwrap();
        producer
            .send(
                BaseRecord::to(TOPIC)
                    .partition(partition)
                    .key(&key)
                    .payload(&value),
            )
            .unwrap();
    }
    producer.flush(Duration::from_secs(60)).unwrap();
}

/// Looks at a record as little as a decoder would: the same for both.
fn look(pass: &mut Pass, value: Option<&[u8]>, key: Option<&[u8]>, timestamp: i64) {
    let value = value.unwrap_or_default();
    pass.records += 1;
    pass.sum = pass
        .sum
        .wrapping_add(value.len() as u64)
        .wrapping_add(u64::from(value[value.len() - 1]))
        .wrapping_add(key.unwrap_or_default().len() as u64)
        .wrapping_add(u64::from(timestamp > 0));
}

fn lanes(brokers: &str, group: &str) -> Pass {
    let yaml =
        format!("brokers: \"{brokers}\"\ntopic: {TOPIC}\ngroup: {group}\nassignment: range\n");
    let section = Section::for_test(Kafka::<()>::SCHEMA, &yaml).unwrap();
    let mut source = Kafka::<()>::from_section(&section)
        .unwrap()
        .into_source()
        .unwrap();
    source.start().unwrap();
    let mut lanes: BTreeMap<u32, Box<dyn Lane>> = BTreeMap::new();
    let thread = std::thread::current();
    while lanes.is_empty() {
        if let Some(SourceEvent::Assigned(assigned)) = source.poll(Duration::from_secs(1)).unwrap()
        {
            lanes.extend(assigned.into_iter().map(|one| (one.partition.id, one.lane)));
        }
    }
    for lane in lanes.values_mut() {
        let thread = thread.clone();
        lane.set_waker(std::sync::Arc::new(move || thread.unpark()));
    }
    let mut pass = Pass::default();
    let mut clocks = None;
    while pass.records < RECORDS {
        let mut idle = true;
        for lane in lanes.values_mut() {
            if lane.fill().unwrap() == Filled::Payloads {
                clocks.get_or_insert_with(now);
                idle = false;
                for payload in lane.batch().payloads() {
                    look(&mut pass, payload.value, payload.key, payload.timestamp_ms);
                }
                lane.release();
            }
        }
        if idle && pass.records < RECORDS {
            std::thread::park();
        }
    }
    spent(&mut pass, clocks);
    lanes.clear();
    source.close();
    pass
}

fn safe(brokers: &str, group: &str, split: bool) -> Pass {
    let consumer: BaseConsumer = ClientConfig::new()
        .set("bootstrap.servers", brokers)
        .set("group.id", group)
        .set("auto.offset.reset", "earliest")
        .set("enable.auto.commit", "false")
        .set("enable.auto.offset.store", "false")
        .set("partition.assignment.strategy", "range")
        .set("queued.min.messages", "10000000")
        .set("fetch.queue.backoff.ms", "10")
        .create()
        .unwrap();
    consumer.subscribe(&[TOPIC]).unwrap();
    let mut pass = Pass::default();
    let mut clocks = None;
    let consumer = std::sync::Arc::new(consumer);
    let queues: Vec<_> = (0..PARTITIONS)
        .filter(|_| split)
        .map(|id| consumer.split_partition_queue(TOPIC, id).unwrap())
        .collect();
    let take = |message: rdkafka::message::BorrowedMessage<'_>, pass: &mut Pass| {
        let timestamp = message.timestamp().to_millis().unwrap_or(-1);
        look(pass, message.payload(), message.key(), timestamp);
    };
    while pass.records < RECORDS {
        let mut idle = true;
        for queue in &queues {
            for _ in 0..1024 {
                let Some(message) = queue.poll(Duration::ZERO) else { break };
                clocks.get_or_insert_with(now);
                take(message.unwrap(), &mut pass);
                idle = false;
            }
        }
        let wait = match (queues.is_empty(), idle) {
            (true, _) => Duration::from_millis(100),
            (false, false) => Duration::ZERO,
            (false, true) => Duration::from_millis(1),
        };
        if let Some(message) = consumer.poll(wait) {
            clocks.get_or_insert_with(now);
            take(message.unwrap(), &mut pass);
        }
    }
    spent(&mut pass, clocks);
    pass
}

fn spent(pass: &mut Pass, since: Option<(u64, u64)>) {
    let ((thread, process), (thread_then, process_then)) = (now(), since.unwrap());
    pass.thread_ns = thread - thread_then;
    pass.process_ns = process - process_then;
}

/// CPU nanoseconds of this thread and of the process.
fn now() -> (u64, u64) {
    let read = |clock| {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the clock exists on every system this is built for, the result is ours.
        let code = unsafe { libc::clock_gettime(clock, &raw mut time) };
        assert_eq!(code, 0);
        u64::try_from(time.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap()
    };
    (read(libc::CLOCK_THREAD_CPUTIME_ID), read(libc::CLOCK_PROCESS_CPUTIME_ID))
}
