//! The source as the runtime drives it, with and without a pace.

use super::*;
use crate::order::Orders;
use spate_runtime::lane::source::{Filled, Lane};

fn source(settings: Settings, pace: Option<Pace>) -> GeneratedSource {
    GeneratedSource {
        shared: Arc::new(Shared::new(settings, pace)),
        topic: "orders".into(),
        stage: Stage::Joining,
    }
}

fn lanes(source: &mut GeneratedSource) -> Vec<Box<dyn Lane>> {
    match source.poll(Duration::ZERO) {
        Ok(Some(SourceEvent::Assigned(assigned))) => {
            assigned.into_iter().map(|assigned| assigned.lane).collect()
        }
        other => panic!("no assignment but {other:?}"),
    }
}

#[test]
fn lanes_give_what_the_generator_makes_and_then_the_source_ends() {
    let settings = Settings { records: Some(5000), partitions: 3, ..Settings::default() };
    let mut source = source(settings.clone(), None);
    let mut ends = 0;
    for (partition, mut lane) in (0..).zip(lanes(&mut source)) {
        let mut expected = Orders::partition(&settings, partition, 0);
        while lane.fill().unwrap() == Filled::Payloads {
            for payload in lane.batch().payloads() {
                let record = expected.next().expect("no more than the generator makes");
                assert_eq!(payload.value, record.value.as_deref());
                assert_eq!(payload.key, Some(record.key.as_slice()));
                assert_eq!(payload.offset.0, record.head.offset);
            }
            lane.release();
            assert!(lane.batch().payloads().is_empty());
        }
        assert!(expected.next().is_none());
        assert_eq!(lane.fill().unwrap(), Filled::Ended, "again and again");
        ends += source.log_ends()[usize::try_from(partition).unwrap()].end.0;
    }
    assert_eq!(ends, 5000);
    assert!(matches!(source.poll(Duration::ZERO), Ok(Some(SourceEvent::Ended))));
    assert!(matches!(source.poll(Duration::ZERO), Ok(None)), "it ends once");
}

#[test]
fn a_rate_gives_out_what_the_time_allows() {
    let clock = Clock::manual();
    let settings = Settings { partitions: 2, ..Settings::clean(1000) };
    let mut source = source(settings, Some(Pace::new(clock.clone(), 100)));
    let mut lanes = lanes(&mut source);
    let given = |lane: &mut Box<dyn Lane>| {
        let filled = lane.fill().unwrap();
        let count = lane.batch().payloads().len();
        lane.release();
        (filled, count)
    };
    assert_eq!(given(&mut lanes[0]), (Filled::Empty, 0));
    clock.advance(Duration::from_millis(70));
    assert_eq!(given(&mut lanes[0]), (Filled::Payloads, 4));
    assert_eq!(given(&mut lanes[1]), (Filled::Payloads, 3));
    assert_eq!(given(&mut lanes[1]), (Filled::Empty, 0));
    clock.advance(Duration::from_secs(60));
    for lane in &mut lanes {
        assert_eq!(given(lane).0, Filled::Payloads);
    }
}

#[test]
fn a_poll_wakes_lanes_that_wait_for_their_next_record() {
    let mut source = source(Settings::clean(10), Some(Pace::new(Clock::manual(), 1)));
    let mut lanes = lanes(&mut source);
    let woken = Arc::new(std::sync::atomic::AtomicU32::new(0));
    let count = Arc::clone(&woken);
    lanes[0].set_waker(Arc::new(move || {
        count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }));
    assert_eq!(lanes[0].fill().unwrap(), Filled::Empty);
    assert!(matches!(source.poll(Duration::ZERO), Ok(None)));
    assert_eq!(woken.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[test]
fn a_section_has_the_generators_defaults() {
    let schema = <Datagen<()> as SourceConnector>::SCHEMA;
    let read = |yaml: &str| {
        let section = Section::for_test(schema, yaml)?;
        Datagen::<()>::from_section(&section)
    };
    let made = read("records: 1000\npartitions: 4\nseed: 1").unwrap();
    let expected = Settings { records: Some(1000), partitions: 4, seed: 1, ..Settings::default() };
    assert_eq!((made.settings, made.rate), (expected, None));
    let made = read("shape: wide\nrate: 100\npoison_ppm: 0").unwrap();
    let expected = Settings { shape: Shape::Wide, poison_ppm: 0, ..Settings::default() };
    assert_eq!((made.settings, made.rate), (expected, Some(100)));
    assert!(read("poison_ppm: 600000\ntombstone_ppm: 600000").is_err());
    assert!(read("partitions: 0").is_err());
}
