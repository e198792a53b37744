//! All names of metrics, once. `docs/METRICS.md` is this table; a test keeps it so.

/// What a metric is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Rises from the start of the process.
    Counter,
    /// Goes up and down.
    Gauge,
    /// A gauge per partition, in the scraped text only, while the lane lives.
    Partition,
    /// Counts by upper bound, in the scraped text only.
    Histogram,
}

/// One metric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// What it counts.
    pub unit: &'static str,
    /// The labels of its series, beside `pipeline`.
    pub labels: &'static [&'static str],
    /// One line for people.
    pub help: &'static str,
}

macro_rules! metrics {
    ($($id:ident: $kind:ident $name:literal $unit:literal [$($label:literal),*] $help:literal;)*) => {
        $(
            #[doc = $help]
            pub const $id: Metric = Metric {
                name: $name,
                kind: Kind::$kind,
                unit: $unit,
                labels: &[$($label),*],
                help: $help,
            };
        )*
        /// Every metric, in the order of the documentation.
        pub const ALL: &[Metric] = &[$($id),*];
    };
}

metrics! {
    PAYLOADS: Counter "spate_payloads_total" "payloads" ["chain"]
        "Payloads that went into a chain.";
    STAGE_IN: Counter "spate_stage_in_total" "records" ["chain", "stage"]
        "Records that reached a stage.";
    STAGE_OUT: Counter "spate_stage_out_total" "records" ["chain", "stage"]
        "Records that went on from a stage.";
    STAGE_FILTERED: Counter "spate_stage_filtered_total" "records" ["chain", "stage"]
        "Records a stage dropped as its purpose is; for `decode`, tombstones.";
    STAGE_SKIPPED: Counter "spate_stage_skipped_total" "records" ["chain", "stage"]
        "Records a stage failed on and `or_skip` counted.";
    STAGE_DIVERTED: Counter "spate_stage_diverted_total" "records" ["chain", "stage"]
        "Records a stage failed on and `or_to` made dead letters of.";
    STAGE_DISCARDED: Counter "spate_stage_discarded_total" "records" ["chain", "stage"]
        "Records that a path discarded on purpose.";
    ROWS_PUSHED: Counter "spate_sink_rows_pushed_total" "rows" ["sink"]
        "Rows that lanes handed over to a sink.";
    ROWS_DURABLE: Counter "spate_sink_rows_durable_total" "rows" ["sink"]
        "Rows that are written for good.";
    ROWS_ABANDONED: Counter "spate_sink_rows_abandoned_total" "rows" ["sink"]
        "Rows that were handed over and given up; they will be read again.";
    BATCHES: Counter "spate_sink_batches_total" "batches" ["sink"]
        "Sealed batches that are written for good.";
    BYTES: Counter "spate_sink_bytes_total" "bytes" ["sink"]
        "Bytes of rows that are written for good, before compression.";
    RETRIES: Counter "spate_sink_retries_total" "writes" ["sink"]
        "Writes that failed and were tried again.";
    TURNS: Counter "spate_sink_turns_total" "wake-ups" ["sink"]
        "How often writers were woken: by a frame, a linger, an answer, a change of lanes.";
    LANE_WAKES: Counter "spate_lane_wakes_total" "wake-ups" []
        "How often lane threads were woken: by a source, a freed slot, freed memory, a command.";
    COMMITS: Counter "spate_commits_total" "commits" []
        "Commits of watermarks that were accepted.";
    COMMITS_REFUSED: Counter "spate_commits_refused_total" "commits" []
        "Commits of watermarks that were refused and tried again.";
    ASSIGNED: Counter "spate_partitions_assigned_total" "partitions" []
        "Partitions that were given to this process.";
    REVOKED: Counter "spate_partitions_revoked_total" "partitions" []
        "Partitions that were given back or lost.";
    IN_FLIGHT: Gauge "spate_sink_rows_in_flight" "rows" ["sink"]
        "Rows that were handed over and are not written yet.";
    SINK_UP: Gauge "spate_sink_up" "0 or 1" ["sink"]
        "Whether every shard has answered and the last write of each went well.";
    LOOKUP_LOADS: Counter "spate_lookup_loads_total" "loads" ["lookup"]
        "Snapshots of a lookup that were loaded.";
    LOOKUP_FAILURES: Counter "spate_lookup_failures_total" "loads" ["lookup"]
        "Loads of a lookup that failed: the snapshot before stayed.";
    LOOKUP_ENTRIES: Gauge "spate_lookup_entries" "keys" ["lookup"]
        "Keys of the snapshot that lanes read.";
    LOOKUP_AGE: Gauge "spate_lookup_age_seconds" "seconds" ["lookup"]
        "Time since the snapshot that lanes read was loaded.";
    LANES: Gauge "spate_lanes" "lanes" ["source"]
        "Partitions that this process reads now.";
    LANES_BLOCKED: Gauge "spate_lanes_blocked" "lanes" ["source"]
        "Lanes that wait for a sink or for memory.";
    LANES_STALLED: Gauge "spate_lanes_stalled" "lanes" ["source"]
        "Lanes that have not moved for `stall_after` although they have something to do.";
    LAG: Gauge "spate_source_lag" "payloads" ["source"]
        "Payloads between the watermarks and the ends of the logs, all lanes together.";
    UNRESOLVED: Gauge "spate_frames_unresolved" "frames" ["source"]
        "Frames that are not durable yet.";
    MEMORY: Gauge "spate_memory_bytes" "bytes" []
        "Memory of rows in flight, by capacity.";
    MEMORY_LIMIT: Gauge "spate_memory_limit_bytes" "bytes" []
        "The budget for rows in flight.";
    MEMORY_PEAK: Gauge "spate_memory_peak_bytes" "bytes" []
        "The most memory that rows in flight had since the start.";
    WRITE_SECONDS: Histogram "spate_sink_write_seconds" "seconds" ["sink"]
        "How long writes took, from their start to their answer, whatever it was.";
    AGE_SECONDS: Histogram "spate_sink_row_age_seconds" "seconds" ["sink"]
        "How old the first row of a batch was when the batch was durable.";
    PARTITION_POSITION: Partition "spate_partition_position" "offset" ["source", "topic", "partition"]
        "The next offset a lane reads.";
    PARTITION_WATERMARK: Partition "spate_partition_watermark" "offset" ["source", "topic", "partition"]
        "The first offset that is not durable.";
    PARTITION_COMMITTED: Partition "spate_partition_committed" "offset" ["source", "topic", "partition"]
        "The watermark that was committed last.";
    PARTITION_LAG: Partition "spate_partition_lag" "payloads" ["source", "topic", "partition"]
        "Payloads between a lane's watermark and the end of its log.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;
    use std::path::PathBuf;

    fn page() -> String {
        let mut page = String::from(
            "# Metrics\n\n\
             Every metric has the label `pipeline` beside those of its row.\n\
             Counters rise from the start of the process.\n\
             Metrics per partition are in `/metrics` only, while this process reads the partition; \
             their sums have names of their own.\n\
             Histograms are in `/metrics` only; their bounds are fixed, from 1 ms to 1 min.\n\
             No label takes values without a bound.\n\n\
             | name | kind | unit | labels | meaning |\n|---|---|---|---|---|\n",
        );
        for Metric { name, kind, unit, labels, help } in ALL {
            let kind = match kind {
                Kind::Counter => "counter",
                Kind::Gauge => "gauge",
                Kind::Partition => "gauge, per partition",
                Kind::Histogram => "histogram",
            };
            let labels: Vec<_> = labels.iter().map(|label| format!("`{label}`")).collect();
            writeln!(page, "| `{name}` | {kind} | {unit} | {} | {help} |", labels.join(", "))
                .unwrap();
        }
        page
    }

    /// Set `SPATE_BLESS=1` to write the page anew.
    #[test]
    fn the_documentation_lists_these_metrics() {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/METRICS.md");
        if std::env::var_os("SPATE_BLESS").is_some() {
            std::fs::write(&path, page()).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap();
        assert_eq!(written, page(), "run this test with SPATE_BLESS=1 and commit the page");
    }

    #[test]
    fn names_are_unique_and_say_what_they_are() {
        for (index, metric) in ALL.iter().enumerate() {
            assert!(metric.name.starts_with("spate_"), "{}", metric.name);
            let counts = metric.name.ends_with("_total");
            assert_eq!(counts, metric.kind == Kind::Counter, "{}", metric.name);
            assert!(ALL[..index].iter().all(|other| other.name != metric.name), "{}", metric.name);
        }
    }
}
