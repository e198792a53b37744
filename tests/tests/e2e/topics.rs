//! What topics are like: tombstones, codecs, compaction, transactions, new partitions.

use spate_tests::copies;

use crate::support::{Run, World, until};

/// The four values of R029.
pub(crate) fn send_r029(world: &World) {
    let producer = world.producer();
    for value in [Some(r#"{"n":1}"#), None, Some(""), Some(r#"{"n":2}"#)] {
        producer.send(&world.topic, 0, b"key", value.map(str::as_bytes));
    }
    producer.flush();
}

/// R029: no value is a tombstone, a value of no bytes is malformed.
#[test]
fn r029_under_skip_tombstones_and_malformed_records_are_counted_and_passed() {
    let Some(world) = World::new("r029_skip", 1) else { return };
    send_r029(&world);
    let report =
        Run::start(copies::pipeline, &world.yaml().set("events.until", "end")).wait_drained();
    let decode = report.snapshot.chains[0].stages[0];
    assert_eq!((decode.dropped, decode.failed), (1, 1), "a tombstone and an empty value: {report}");
    let numbers = format!("SELECT groupArray(n) FROM (SELECT n FROM `{}` ORDER BY n)", world.rows);
    assert_eq!(world.clickhouse.sql(&numbers), "[1,2]");
    assert_eq!(world.committed_sum(), 4);
}

/// R032: all five codecs can be read.
#[test]
fn r032_every_codec_is_read() {
    let Some(world) = World::new("r032", 1) else { return };
    let codecs = ["none", "gzip", "snappy", "lz4", "zstd"];
    for (codec, begin) in codecs.into_iter().zip((0..).step_by(10)) {
        // One batch of ten: a codec that makes a batch larger is not used.
        let settings = [("compression.type", codec), ("linger.ms", "1000")];
        world
            .kafka
            .producer(&settings)
            .numbers(&world.topic, 1, begin..begin + 10);
    }
    Run::start(copies::pipeline, &world.yaml().set("events.until", "end")).wait_drained();
    world.check_exact(50);
}

/// R003: offsets that compaction took away hold nothing up.
#[test]
fn r003_a_compacted_topic_is_read_to_its_end() {
    let Some(world) = World::without_topic("r003") else { return };
    let settings = [
        ("cleanup.policy", "compact"),
        ("segment.ms", "100"),
        ("min.cleanable.dirty.ratio", "0.01"),
        ("min.compaction.lag.ms", "0"),
        ("max.compaction.lag.ms", "200"),
    ];
    world.kafka.create(&world.topic, 1, &settings);
    let producer = world.producer();
    let mut end = 0;
    let mut kept = Vec::new();
    // What follows closes a segment that is old enough: only closed ones are compacted.
    until("some of the log is compacted", || {
        for key in 0..20_u64 {
            let value = format!("{{\"n\":{end}}}");
            producer.send(&world.topic, 0, &key.to_le_bytes(), Some(value.as_bytes()));
            end += 1;
        }
        producer.flush();
        kept = world.kafka.offsets(&world.topic, end);
        (kept.len() as u64) < end / 2
    });
    Run::start(copies::pipeline, &world.yaml().set("events.until", "end")).wait_drained();
    // Compaction may have gone on meanwhile: what is left by now was read for certain.
    let left = world.kafka.offsets(&world.topic, end);
    let rows = format!(
        "SELECT groupArray(offset) FROM (SELECT offset FROM `{}` ORDER BY offset)",
        world.rows
    );
    let rows: Vec<u64> = serde_json::from_str(&world.clickhouse.sql(&rows)).unwrap();
    assert!(left.iter().all(|offset| rows.contains(offset)), "{left:?} of {rows:?}");
    assert!(rows.iter().all(|offset| kept.contains(offset)), "{rows:?} of {kept:?}");
    assert_eq!(world.committed_sum(), end, "committed reaches the end across the gaps");
}

/// R004: aborted records are not read, and the markers behind the last record are passed.
#[test]
fn r004_a_transactional_topic_is_read_without_what_was_aborted_and_to_its_end() {
    let Some(world) = World::new("r004", 1) else { return };
    let producer = world.kafka.producer(&[("transactional.id", &world.id)]);
    producer.init_transactions();
    for (numbers, commit) in
        [(0..10, true), (1000..1010, false), (10..15, true), (2000..2001, false)]
    {
        producer.begin();
        producer.numbers(&world.topic, 1, numbers);
        producer.end(commit);
    }
    let end = world.kafka.ends(&world.topic)[&0];
    assert_eq!(end, 26 + 4, "records and one marker for each transaction");

    let run = Run::start(copies::pipeline, &world.yaml());
    until("everything is committed, markers too", || world.committed_sum() == end);
    until("the lag is none", || run.snapshot().lag() == 0);
    run.drain();
    world.check_exact(15);

    // A bounded run has nothing to do, and ends.
    let report =
        Run::start(copies::pipeline, &world.yaml().set("events.until", "end")).wait_drained();
    assert_eq!(report.snapshot.payloads(), 0, "{report}");
}

/// R027: partitions that appear while running are found, and read from their beginning.
#[test]
fn r027_partitions_added_while_running_are_read_from_their_beginning() {
    let Some(world) = World::new("r027", 3) else { return };
    let yaml = world
        .yaml()
        .set("events.start", "latest")
        .set("events.metadata", "500ms");
    let run = Run::start(copies::pipeline, &yaml);
    run.until_lanes(3);
    world.kafka.grow(&world.topic, 5);
    let producer = world.producer();
    for n in 0..20_u64 {
        let partition = 3 + i32::try_from(n % 2).unwrap();
        let value = format!("{{\"n\":{n}}}");
        producer.send(&world.topic, partition, b"", Some(value.as_bytes()));
    }
    producer.flush();
    run.until_lanes(5);
    until("all twenty are there", || world.count() == 20);
    run.drain();
    world.check_exact(20);
}
