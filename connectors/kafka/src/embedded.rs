//! A Kafka broker in this process that carries generated orders: nothing to install.
//!
//! ```text
//! filler thread:  room in a partition? -> produce a chunk     none anywhere -> park
//! lane thread:    release -> position moves, filler unparked
//! ```
//!
//! The broker is librdkafka's mock, which keeps about 5 MB a partition and drops older records
//! silently. So the filler never runs more than 3 MB ahead of what lanes have released.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, Thread};

use spate_datagen::{Orders, Settings};
use spate_runtime::error::{Class, SourceError};

use crate::config::Embedded;
use crate::mock::{MockCluster, Producer, ToProduce};
use crate::source::{LaneReport, LaneSeed};

/// The broker, its filler and what they share.
pub(crate) struct EmbeddedBroker {
    brokers: String,
    settings: Settings,
    shared: Arc<Shared>,
    filler: Option<JoinHandle<()>>,
    /// Dropped last: the filler's producer and the consumer talk to it.
    _cluster: MockCluster,
}

/// What lanes tell the filler.
#[derive(Default)]
struct Shared {
    /// Which lane reads each partition now.
    readers: Mutex<Vec<Option<Arc<LaneReport>>>>,
    stop: AtomicBool,
}

impl Drop for EmbeddedBroker {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        if let Some(filler) = self.filler.take() {
            filler.thread().unpark();
            if filler.join().is_err() {
                tracing::warn!("the filler of the embedded broker panicked");
            }
        }
    }
}

impl EmbeddedBroker {
    /// Starts the broker and begins to fill `topic`.
    ///
    /// # Errors
    ///
    /// When the broker cannot listen, or no thread can be had.
    pub(crate) fn start(topic: &str, orders: &Embedded) -> Result<Self, SourceError> {
        let failed = |text: String| {
            SourceError::new(Class::Config, format!("the embedded broker did not start: {text}"))
        };
        let settings = Settings {
            records: (orders.records > 0).then_some(orders.records),
            partitions: orders.partitions,
            seed: orders.seed,
            poison_ppm: orders.poison_ppm,
            tombstone_ppm: orders.tombstone_ppm,
            empty_ppm: orders.empty_ppm,
            duplicate_ppm: orders.duplicate_ppm,
            ..Settings::default()
        };
        let cluster = MockCluster::start().map_err(failed)?;
        cluster.create_topic(topic, settings.partitions);
        let brokers = cluster.brokers();
        let producer = Producer::new(&brokers, topic, &[]).map_err(failed)?;
        let shared = Arc::new(Shared::default());
        let filler = Filler::new(producer, &settings, Arc::clone(&shared));
        let filler = std::thread::Builder::new()
            .name("kafka-filler".to_owned())
            .spawn(move || filler.run())
            .map_err(|error| failed(error.to_string()))?;
        Ok(Self { brokers, settings, shared, filler: Some(filler), _cluster: cluster })
    }

    /// Where it listens.
    pub(crate) fn brokers(&self) -> &str {
        &self.brokers
    }

    /// How many records `partition` will carry; `None` is endless.
    pub(crate) fn records_in(&self, partition: u32) -> Option<u64> {
        self.settings
            .records
            .map(|_| self.settings.records_in(partition))
    }

    /// Makes a lane tell the filler how far it is, and end where the orders end.
    pub(crate) fn feed(&self, mut lane: LaneSeed) -> LaneSeed {
        let id = lane.partition.id;
        lane.until = lane.until.and_then(|_| self.records_in(id));
        let mut readers = self
            .shared
            .readers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let index = usize::try_from(id).unwrap_or(usize::MAX);
        if readers.len() <= index {
            readers.resize(index + 1, None);
        }
        readers[index] = Some(Arc::clone(&lane.state));
        drop(readers);
        if let Some(thread) = self.filler.as_ref().map(|filler| filler.thread().clone()) {
            lane.released = Some(Arc::new(move || Thread::unpark(&thread)));
        }
        lane
    }
}

/// Produces the orders, partition by partition, as far as there is room.
struct Filler {
    producer: Producer,
    shared: Arc<Shared>,
    partitions: Vec<Filling>,
    value: Vec<u8>,
}

/// How far one partition is filled.
struct Filling {
    id: u32,
    orders: Orders,
    /// The next offset to produce.
    next: u64,
    /// Chunks that may not have been read yet: where each ends, how many bytes it has.
    ahead: VecDeque<(u64, usize)>,
    bytes_ahead: usize,
    is_done: bool,
}

impl Filler {
    fn new(producer: Producer, settings: &Settings, shared: Arc<Shared>) -> Self {
        let partitions = (0..settings.partitions)
            .map(|id| Filling {
                id,
                orders: Orders::partition(settings, id, 0),
                next: 0,
                ahead: VecDeque::new(),
                bytes_ahead: 0,
                is_done: false,
            })
            .collect();
        Self { producer, shared, partitions, value: Vec::with_capacity(1024) }
    }

    fn run(mut self) {
        while !self.shared.stop.load(Ordering::Acquire) {
            self.note_progress();
            let mut filled = false;
            for filling in &mut self.partitions {
                filled |= filling.fill(&self.producer, &mut self.value);
            }
            if self.partitions.iter().all(|filling| filling.is_done) {
                break;
            }
            if !filled {
                // A release in between left a token: this park returns at once.
                std::thread::park();
            }
        }
        // Everything produced must still land: the producer stays until the broker goes.
        while !self.shared.stop.load(Ordering::Acquire) {
            std::thread::park();
        }
        self.producer.purge();
    }

    fn note_progress(&mut self) {
        let readers = self
            .shared
            .readers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for (filling, reader) in self.partitions.iter_mut().zip(readers.iter()) {
            if let Some(reader) = reader {
                filling.forget_below(reader.next());
            }
        }
    }
}

impl Filling {
    fn forget_below(&mut self, read: u64) {
        while let Some((end, bytes)) = self.ahead.front().copied()
            && end <= read
        {
            self.ahead.pop_front();
            self.bytes_ahead -= bytes;
        }
    }

    /// Produces one chunk if there is room; whether it did.
    fn fill(&mut self, producer: &Producer, value: &mut Vec<u8>) -> bool {
        if self.is_done || self.bytes_ahead >= AHEAD_MAX {
            return false;
        }
        let mut bytes = 0;
        for _ in 0..CHUNK {
            let Some(head) = self.orders.next_into(value) else {
                self.is_done = true;
                break;
            };
            let key = head.key();
            let record = ToProduce {
                key: Some(key.as_bytes()),
                value: (!head.is_tombstone()).then_some(value.as_slice()),
                timestamp_ms: head.timestamp_ms,
                headers: &[],
            };
            if let Err(error) = producer.send(self.id, record) {
                tracing::error!(%error, "the embedded broker's queue is full");
                self.is_done = true;
                break;
            }
            bytes += value.len() + key.as_bytes().len() + RECORD_OVERHEAD;
            self.next += 1;
        }
        self.ahead.push_back((self.next, bytes));
        self.bytes_ahead += bytes;
        bytes > 0
    }
}

/// Records produced at a time, per partition.
const CHUNK: usize = 256;
/// Bytes that a partition may be ahead of its reader: well below what the mock keeps.
const AHEAD_MAX: usize = 3 * 1024 * 1024;
/// What a record takes beside key and value, at most.
const RECORD_OVERHEAD: usize = 24;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use spate_datagen::Expected;
    use spate_runtime::clock::Clock;
    use spate_runtime::config::Section;
    use spate_runtime::connector::SourceConnector;
    use spate_runtime::lane::source::{Filled, Lane, SourceEvent};

    use crate::Kafka;

    /// Far more than the mock keeps: every record comes once and in order, because the filler
    /// waits for the reader; then the run ends by itself.
    #[test]
    fn a_bounded_run_reads_every_order_that_was_generated() {
        let yaml = "\
brokers: embedded
topic: orders
group: example
until: end
embedded:
  records: 200000
  partitions: 2
  seed: 7
";
        let section = Section::for_test(Kafka::<()>::SCHEMA, yaml).unwrap();
        let kafka = Kafka::<()>::from_section(&section).unwrap();
        let mut source = kafka.into_source().unwrap();
        assert!(!source.check().has_errors());
        source.start().unwrap();

        let clock = Clock::real();
        let deadline = clock.now() + Duration::from_secs(120);
        let mut lanes: BTreeMap<u32, (Box<dyn Lane>, u64)> = BTreeMap::new();
        let (mut tombstones, mut empty, mut is_over) = (0, 0, false);
        while !is_over {
            assert!(clock.now() < deadline, "the end did not come");
            match source.poll(Duration::from_millis(1)).unwrap() {
                Some(SourceEvent::Assigned(assigned)) => lanes.extend(
                    assigned
                        .into_iter()
                        .map(|one| (one.partition.id, (one.lane, 0))),
                ),
                Some(SourceEvent::Ended) => is_over = true,
                Some(event) => panic!("{event:?}"),
                None => {}
            }
            for (lane, next) in lanes.values_mut() {
                while lane.fill().unwrap() == Filled::Payloads {
                    for payload in lane.batch().payloads() {
                        assert_eq!(payload.offset.0, *next, "no record is dropped or repeated");
                        *next += 1;
                        tombstones += u64::from(payload.value.is_none());
                        empty += u64::from(payload.value.is_some_and(<[u8]>::is_empty));
                        assert!(payload.key.is_some());
                    }
                    lane.release();
                }
            }
        }
        let settings = spate_datagen::Settings {
            records: Some(200_000),
            partitions: 2,
            seed: 7,
            ..spate_datagen::Settings::default()
        };
        let expected = Expected::of(&settings);
        assert_eq!(lanes.values().map(|(_, next)| next).sum::<u64>(), expected.records);
        assert_eq!((tombstones, empty), (expected.tombstones, expected.empty));
        for end in source.log_ends() {
            assert_eq!(end.end.0, lanes[&end.partition.id].1, "the lag is 0 at the end");
        }
    }
}
