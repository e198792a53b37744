//! The main job: everything that a topic may hold, and where each record ends up.

use std::collections::{BTreeMap, BTreeSet};

use spate_datagen::{Expected, Fate, Orders, Settings};
use spate_tests::orders;

use crate::support::{Run, World, Yaml};

const LINE: &str = "(order_id UInt64, customer LowCardinality(String), \
     total_cents UInt64, partition UInt32, offset UInt64)";
const LETTER: &str = "(topic String, partition UInt32, offset UInt64, \
     timestamp_ms Nullable(Int64), stage LowCardinality(String), reason String, item UInt32, \
     key Nullable(String), payload Nullable(String), header_names Array(String), \
     header_values Array(String))";

/// The names of the tables of `orders` in a world.
pub(crate) struct Tables {
    pub(crate) lines: String,
    pub(crate) refunds: String,
    pub(crate) rejects: String,
}

/// Makes the tables of `orders`; its configuration over them.
pub(crate) fn tables(world: &World) -> (Tables, Yaml) {
    let name = |sink: &str| format!("{}_{sink}", world.id);
    let tables =
        Tables { lines: name("lines"), refunds: name("refunds"), rejects: name("rejects") };
    let mut yaml = world.source();
    for (sink, table, columns) in [
        ("lines", &tables.lines, LINE),
        ("refunds", &tables.refunds, LINE),
        ("rejects", &tables.rejects, LETTER),
    ] {
        world.table(table, columns);
        yaml = world.sink(yaml, sink, table);
    }
    (tables, yaml)
}

/// Fills a world's topic with what `settings` make.
pub(crate) fn fill(world: &World, settings: &Settings) {
    let producer = world.producer();
    let mut orders = Orders::new(settings);
    let mut value = Vec::new();
    while let Some(head) = orders.next_into(&mut value) {
        let partition = i32::try_from(head.partition).unwrap();
        let value = (!head.is_tombstone()).then_some(value.as_slice());
        producer.send(&world.topic, partition, head.key().as_bytes(), value);
    }
    producer.flush();
}

/// Runs the main job over a topic that holds everything there is, with `tune`d settings.
#[track_caller]
fn check_main_job(name: &str, tune: impl FnOnce(Yaml) -> Yaml) {
    let Some(world) = World::new(name, 8) else { return };
    let settings = Settings {
        records: Some(40_000),
        partitions: 8,
        seed: 7,
        // Above what a float holds.
        first_id: (1 << 53) + 1,
        poison_ppm: 6000,
        tombstone_ppm: 5000,
        empty_ppm: 2000,
        duplicate_ppm: 20_000,
        ..Settings::default()
    };
    fill(&world, &settings);
    let (tables, yaml) = tables(&world);
    let yaml = tune(yaml.set("events.until", "end"));
    let report = Run::start(orders::pipeline, &yaml).wait_drained();

    let expected = Expected::of(&settings);
    assert!(expected.overflows > 0 && expected.duplicates > 0 && expected.empty > 0);
    let sums = |table: &str| {
        world.clickhouse.sql(&format!(
            "SELECT count(), sum(order_id), sum(total_cents), uniqExact(partition, offset) \
             FROM `{table}`"
        ))
    };
    let Expected { lines, lines_id_sum, lines_total_cents, .. } = expected;
    let wanted = format!("{lines}\t{lines_id_sum}\t{lines_total_cents}\t{lines}");
    assert_eq!(sums(&tables.lines), wanted, "{report}");
    let Expected { refunds, refunds_id_sum, refunds_total_cents, .. } = expected;
    let wanted = format!("{refunds}\t{refunds_id_sum}\t{refunds_total_cents}\t{refunds}");
    assert_eq!(sums(&tables.refunds), wanted, "{report}");
    check_customers(&world, &tables.lines, &settings);
    check_letters(&world, &tables.rejects, &settings);
    assert_eq!(
        world.kafka.committed(&world.group, &world.topic),
        world.kafka.ends(&world.topic),
        "{report}"
    );
}

#[test]
fn every_record_of_eight_partitions_ends_where_it_belongs() {
    check_main_job("main_job", |yaml| yaml);
}

/// Small queues and a small budget: lanes park and are gated in the middle of their batches.
#[test]
fn every_record_ends_where_it_belongs_under_back_pressure() {
    let sinks = ["lines", "refunds", "rejects"];
    check_main_job("main_job_pressed", |yaml| {
        let yaml = yaml.set("pipeline.memory", "3MiB");
        sinks.iter().fold(yaml, |yaml, sink| {
            yaml.set(&format!("{sink}.queue_frames"), 1)
                .set(&format!("{sink}.frame_bytes"), "4KiB")
                .set(&format!("{sink}.batch_rows"), 500)
        })
    });
}

/// Every name, however it was escaped, is what the generator says it is.
fn check_customers(world: &World, table: &str, settings: &Settings) {
    let orders = Orders::new(settings);
    let answer = world
        .clickhouse
        .sql(&format!("SELECT order_id, hex(customer) FROM `{table}`"));
    for line in answer.lines() {
        let (id, customer) = line.split_once('\t').unwrap();
        let index = id.parse::<u64>().unwrap() - settings.first_id;
        assert_eq!(customer, hex(orders.order(index).customer.to_string().as_bytes()), "{id}");
    }
}

/// Every record that does not decode is a letter with its key and its very bytes, and nothing else.
fn check_letters(world: &World, table: &str, settings: &Settings) {
    let is_rejected = |fate| matches!(fate, Fate::Poison(_) | Fate::Empty);
    let wanted: BTreeMap<(u32, u64), String> = Orders::new(settings)
        .filter(|record| is_rejected(record.head.fate))
        .map(|record| {
            let text = format!("{}\t{}", hex(&record.key), hex(&record.value.unwrap()));
            ((record.head.partition, record.head.offset), text)
        })
        .collect();
    let answer = world.clickhouse.sql(&format!(
        "SELECT partition, offset, hex(key), hex(payload) FROM `{table}` \
         WHERE topic = '{}' AND reason != '' AND item = 0",
        world.topic
    ));
    let mut found = BTreeMap::new();
    for line in answer.lines() {
        let mut columns = line.splitn(3, '\t');
        let mut next = || columns.next().unwrap();
        let at = (next().parse::<u32>().unwrap(), next().parse::<u64>().unwrap());
        assert!(found.insert(at, next().to_owned()).is_none(), "{at:?} is there twice");
    }
    let keys: BTreeSet<_> = found.keys().chain(wanted.keys()).collect();
    let differs = |at: &&(u32, u64)| found.get(at) != wanted.get(at);
    let first = keys.into_iter().find(differs);
    let both = first.map(|at| (at, found.get(at), wanted.get(at)));
    assert_eq!(both, None, "the first difference: where, found, wanted");
    let all = world
        .clickhouse
        .number(&format!("SELECT count() FROM `{table}`"));
    assert_eq!(all, Expected::of(settings).rejects());
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
