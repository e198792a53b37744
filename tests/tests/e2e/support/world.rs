//! One test's part of the servers: a topic, a group, tables and a port that nobody else uses.

use std::io::Write as _;

use super::clickhouse::ClickHouse;
use super::kafka::{Kafka, Producer};
use super::run::Run;
use super::yaml::Yaml;
use super::{random, until};

/// Where one test lives.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) kafka: Kafka,
    pub(crate) clickhouse: ClickHouse,
    pub(crate) topic: String,
    pub(crate) group: String,
    /// The table of the pipelines of numbers.
    pub(crate) rows: String,
    /// What every name of this test begins with.
    pub(crate) id: String,
}

const COPIED: &str = "(n UInt64, partition UInt32, offset UInt64)";

impl World {
    /// A world with an empty topic and an empty table of numbers; `None`, with the reason printed,
    /// where no servers are named.
    pub(crate) fn new(name: &str, partitions: i32) -> Option<Self> {
        let world = Self::without_topic(name)?;
        world.kafka.create(&world.topic, partitions, &[]);
        Some(world)
    }

    /// As [`World::new`], for a test that makes its topic itself.
    pub(crate) fn without_topic(name: &str) -> Option<Self> {
        // Seen when a test fails: threads write where the test that started them does.
        let log = tracing_subscriber::fmt().with_test_writer();
        drop(log.with_ansi(false).try_init());
        let server = |variable: &str| {
            let server = std::env::var(variable).ok();
            if server.is_none() {
                // Past the capture of the test harness: a skipped test is never silent.
                let text = format!("{name}: SKIPPED: {variable} names no server (`./test` does)\n");
                std::io::stderr().write_all(text.as_bytes()).unwrap();
            }
            server
        };
        let brokers = server("SPATE_TEST_KAFKA")?;
        let clickhouse = ClickHouse::open(&server("SPATE_TEST_CLICKHOUSE")?);
        let id = format!("{name}_{:016x}", random());
        let world = Self {
            kafka: Kafka { brokers },
            clickhouse,
            topic: id.clone(),
            group: id.clone(),
            rows: format!("{id}_rows"),
            id,
        };
        world.table(&world.rows, COPIED);
        Some(world)
    }

    /// Makes a table that remembers tokens.
    pub(crate) fn table(&self, name: &str, columns: &str) {
        self.clickhouse.sql(&format!(
            "CREATE TABLE `{name}` {columns} ENGINE = MergeTree ORDER BY tuple() \
             SETTINGS non_replicated_deduplication_window = 10000"
        ));
    }

    pub(crate) fn producer(&self) -> Producer {
        self.kafka.producer(&[])
    }

    /// The configuration of a pipeline over this world's topic, without its sinks.
    pub(crate) fn source(&self) -> Yaml {
        Yaml::default()
            .set("pipeline.threads", 2)
            .set("pipeline.pin", "off")
            .set("pipeline.admin", "off")
            .set("pipeline.memory", "64MiB")
            .set("pipeline.commit_interval", "100ms")
            .set("events.brokers", &self.kafka.brokers)
            .set("events.topic", &self.topic)
            .set("events.group", &self.group)
            .set("events.session_timeout", "10s")
            .set("events.settings", "{heartbeat.interval.ms: 300, fetch.wait.max.ms: 100}")
    }

    /// The configuration of `copies` and `strict`.
    pub(crate) fn yaml(&self) -> Yaml {
        self.sink(self.source(), "rows", &self.rows)
    }

    /// Adds a sink's section.
    pub(crate) fn sink(&self, yaml: Yaml, name: &str, table: &str) -> Yaml {
        yaml.set(&format!("{name}.url"), self.clickhouse.url())
            .set(&format!("{name}.table"), table)
            .set(&format!("{name}.linger"), "100ms")
            .set(&format!("{name}.retry_cap"), "500ms")
    }

    /// What the group has committed, all partitions together.
    pub(crate) fn committed_sum(&self) -> u64 {
        self.kafka
            .committed(&self.group, &self.topic)
            .values()
            .sum()
    }

    /// Waits until everything in the topic is committed, by `run` which goes on.
    #[track_caller]
    pub(crate) fn until_all_committed(&self, run: &Run) {
        let ends = self.kafka.ends(&self.topic);
        until(&format!("{ends:?} is committed"), || {
            assert!(!run.is_ended(), "ended: {:?}", run.handle().status().failures());
            self.kafka.committed(&self.group, &self.topic) == ends
        });
    }

    /// Rows in the table of numbers.
    pub(crate) fn count(&self) -> u64 {
        self.clickhouse
            .number(&format!("SELECT count() FROM `{}`", self.rows))
    }

    /// Holds the table of numbers against the numbers below `count`: all there, at one place each.
    #[track_caller]
    pub(crate) fn check_complete(&self, count: u64) {
        let answer = self.clickhouse.sql(&format!(
            "SELECT count(), sum(n), uniqExact(n) FROM (SELECT DISTINCT n, partition, offset FROM `{}`)",
            self.rows
        ));
        assert_eq!(answer, format!("{count}\t{}\t{count}", sum_below(count)));
    }

    /// As [`World::check_complete`], and nothing is there twice.
    #[track_caller]
    pub(crate) fn check_exact(&self, count: u64) {
        self.check_complete(count);
        assert_eq!(self.count(), count, "rows are there twice");
    }
}

/// The sum of the numbers below `count`.
pub(crate) fn sum_below(count: u64) -> u64 {
    count * count.saturating_sub(1) / 2
}
