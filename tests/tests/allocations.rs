//! In steady state a lane thread allocates nothing: decode, filter, state, map, split and RowBinary.
//!
//! A test binary of its own, because the allocator is the whole program's. What a sealed batch
//! costs on the I/O side is held by the ClickHouse connector's test of the same name.

#![expect(unsafe_code, reason = "an allocator is unsafe to implement; this one only counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

use rdkafka::config::ClientConfig;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::{BaseProducer, BaseRecord, DefaultProducerContext, Producer};
use spate::Config;
use spate::prelude::{ClickHouse, Deserialize, Json, Kafka, Row, pipeline};
use spate_datagen::{Orders, Settings, Shape};
use spate_runtime::batch::{Batch, Payload};
use spate_runtime::clock::Clock;
use spate_runtime::config::Section;
use spate_runtime::connector::SourceConnector;
use spate_runtime::error::SourceError;
use spate_runtime::id::{NextOffset, Offset, Partition};
use spate_runtime::lane::drive::Step;
use spate_runtime::lane::source::{Filled, Lane, LaneWaker, Source, SourceEvent};
use spate_runtime::pipeline::RigSettings;
use spate_tests::orders;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting allocations and reallocations of the calling thread.
struct Counting;

// SAFETY: every call is passed on to `System` unchanged, which upholds the contract; counting in a
// constant-initialised thread-local without a destructor allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's contract is `System`'s.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's contract is `System`'s.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A lane over payloads that live for ever, so many at a time.
struct Memory {
    payloads: Vec<Payload<'static>>,
    partition: Partition,
    batch: std::ops::Range<usize>,
}

const PER_FILL: usize = 512;

impl Lane for Memory {
    fn fill(&mut self) -> Result<Filled, SourceError> {
        let begin = self.batch.end;
        self.batch = begin..self.payloads.len().min(begin + PER_FILL);
        Ok(if self.batch.is_empty() { Filled::Ended } else { Filled::Payloads })
    }

    fn batch(&self) -> Batch<'_> {
        Batch::new(&self.payloads[self.batch.clone()], &self.partition, None)
    }

    fn release(&mut self) {
        self.batch.start = self.batch.end;
    }

    fn set_waker(&mut self, _: LaneWaker) {}

    fn position(&self) -> Option<NextOffset> {
        None
    }
}

/// Orders with tombstones and duplicates among them, without what has to be copied to be decoded:
/// poison, which is told in words, and names with escapes.
fn payloads(records: u64) -> Vec<Payload<'static>> {
    let settings = Settings { poison_ppm: 0, empty_ppm: 0, ..Settings::default() };
    let settings = Settings { records: Some(records), ..settings };
    Orders::new(&settings)
        .filter(|record| {
            record
                .value
                .as_ref()
                .is_none_or(|value| !value.contains(&b'\\'))
        })
        .map(|record| Payload {
            value: record.value.map(|value| &*value.leak()),
            key: None,
            offset: Offset(record.head.offset),
            timestamp_ms: record.head.timestamp_ms,
            token: 0,
        })
        .collect()
}

#[test]
fn a_lane_thread_allocates_nothing_in_steady_state() {
    const RECORDS: u64 = 300_000;
    let partition = Partition::new("orders", 0);
    let payloads = payloads(RECORDS);
    let count = payloads.len() as u64;
    let lane = Memory { payloads, partition: partition.clone(), batch: 0..0 };
    let settings = RigSettings {
        shards: vec![2, 1, 1],
        frame_bytes: 16 << 10,
        queue_frames: 64,
        memory: 64 << 20,
    };
    let clock = Clock::manual();
    let mut rig =
        orders::pipeline(Config::empty()).rig(0, partition, Box::new(lane), &settings, &clock);
    let (mut rows, mut bytes, mut allocated) = (0, 0, 0);
    loop {
        // The first half fills the state, and brings every frame to its largest at the same time.
        let is_steady = rig.watermark().0 > RECORDS / 2;
        let before = ALLOCATIONS.get();
        let step = rig.step(clock.now());
        if is_steady {
            allocated += ALLOCATIONS.get() - before;
        }
        rig.take_frames(|frame| {
            rows += u64::from(frame.rows());
            bytes += frame.bytes().len();
            true
        });
        match step {
            Step::Moved | Step::Blocked => {}
            Step::Ended => break,
            other => panic!("the chain stopped: {other:?}"),
        }
    }
    assert!(rows > count / 2 && bytes > 10_000_000 / 2, "{rows} rows in {bytes} bytes of {count}");
    assert!(rig.watermark().0 > RECORDS - 100, "read to the end: {}", rig.watermark());
    assert_eq!(allocated, 0, "allocations for the second half of {count} records");
}

/// One order of the whole path's workload.
#[derive(Debug, Deserialize)]
pub struct WideOrder<'a> {
    order_id: u64,
    #[serde(borrow)]
    sku: &'a str,
    #[serde(borrow)]
    status: &'a str,
    discount: f64,
}

/// Its row.
#[derive(Debug, Row)]
pub struct WideRow<'a> {
    order_id: u64,
    sku: &'a str,
    discount: f64,
}

fn is_live(order: &WideOrder<'_>) -> bool {
    order.status != "cancelled"
}

fn row_of(order: WideOrder<'_>) -> WideRow<'_> {
    WideRow { order_id: order.order_id, sku: order.sku, discount: order.discount }
}

/// The whole path's pipeline.
#[pipeline]
pub mod path {
    use super::*;

    #[source]
    fn input() -> Kafka<Json<WideOrder<'_>>>;

    #[sink]
    fn rows() -> ClickHouse<WideRow<'_>>;

    chain!({
        input
            .decode()
            .or_stop()
            .filter(is_live)
            .map(row_of)
            .to(rows);
    });
}

/// A broker whose topic `orders` has one partition with `records` orders; lz4 makes room for them
/// in the 5 MB that it keeps.
fn broker(records: u64) -> MockCluster<'static, DefaultProducerContext> {
    let cluster = MockCluster::new(1).expect("loopback has a free port");
    cluster
        .create_topic("orders", 1, 1)
        .expect("the mock makes topics");
    let producer: BaseProducer = ClientConfig::new()
        .set("bootstrap.servers", cluster.bootstrap_servers())
        .set("compression.type", "lz4")
        .set("linger.ms", "20")
        .set("queue.buffering.max.messages", "1000000")
        .create()
        .expect("these settings are known");
    let settings = Settings { shape: Shape::Wide, ..Settings::clean(records) };
    let (mut orders, mut value) = (Orders::new(&settings), Vec::new());
    loop {
        value.clear();
        if orders.append_next(&mut value).is_none() {
            break;
        }
        let record = BaseRecord::<(), [u8]>::to("orders")
            .partition(0)
            .payload(&value[..]);
        producer.send(record).expect("the queue has room");
    }
    producer
        .flush(Duration::from_secs(60))
        .expect("the mock takes records");
    cluster
}

/// A Kafka source, and the lane of its one partition.
fn kafka_lane(brokers: &str) -> (Box<dyn Source>, Partition, Box<dyn Lane>) {
    let yaml = format!("brokers: \"{brokers}\"\ntopic: orders\ngroup: path\n");
    let section = Section::for_test(Kafka::<()>::SCHEMA, &yaml).expect("the keys are known");
    let kafka = Kafka::<()>::from_section(&section).expect("the values are valid");
    let mut source = kafka.into_source().expect("librdkafka takes them");
    source.start().expect("the broker is there");
    loop {
        let event = source.poll(Duration::from_secs(1));
        if let Some(SourceEvent::Assigned(mut assigned)) = event.expect("the group forms")
            && let Some(assigned) = assigned.pop()
        {
            return (source, assigned.partition, assigned.lane);
        }
    }
}

/// What librdkafka itself allocates is C's and not counted: its fetch threads make the messages.
#[test]
fn a_lane_thread_that_reads_kafka_allocates_nothing_in_steady_state() {
    const RECORDS: u64 = 120_000;
    let broker = broker(RECORDS);
    let (mut source, partition, lane) = kafka_lane(&broker.bootstrap_servers());
    let settings =
        RigSettings { shards: vec![1], frame_bytes: 16 << 10, queue_frames: 64, memory: 64 << 20 };
    let clock = Clock::manual();
    let mut rig = path::pipeline(Config::empty()).rig(0, partition, lane, &settings, &clock);
    let (mut rows, mut allocated, mut steps) = (0, 0, 0);
    while rig.watermark().0 < RECORDS {
        let is_steady = rig.watermark().0 > RECORDS / 2;
        let before = ALLOCATIONS.get();
        let step = rig.step(clock.now());
        if is_steady {
            allocated += ALLOCATIONS.get() - before;
            steps += 1;
        }
        rig.take_frames(|frame| {
            rows += u64::from(frame.rows());
            true
        });
        match step {
            Step::Moved | Step::Blocked => {}
            // The next fetch is on its way.
            Step::Idle => drop(
                source
                    .poll(Duration::from_millis(1))
                    .expect("nothing fails"),
            ),
            other => panic!("the lane stopped: {other:?}"),
        }
    }
    assert_eq!(rows, RECORDS / 64 * 51, "13 of 64 are cancelled");
    assert!(steps > 20, "{steps} steps were looked at");
    assert_eq!(allocated, 0, "allocations for the second half of {RECORDS} records");
    drop(rig);
    source.close();
}
