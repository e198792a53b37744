//! What `/metrics` says beside the handles, in Prometheus' text format: lines per partition, and
//! histograms. Pure.
//!
//! Written from the lanes that live: a partition given up has no line any more, and neither
//! rebalances nor files that come and go leave a series behind.

use std::fmt::{self, Write};

use super::names::{
    AGE_SECONDS, Metric, PARTITION_COMMITTED, PARTITION_LAG, PARTITION_POSITION,
    PARTITION_WATERMARK, WRITE_SECONDS,
};
use crate::pipeline::report::{LaneCounts, SinkCounts, Snapshot};
use crate::sink::times::{BOUNDS_MS, TimeCounts};

/// Appends the histograms and the metrics per partition to a scraped text.
///
/// # Errors
///
/// None where `to` is a string.
pub fn write_scraped(snapshot: &Snapshot, to: &mut impl Write) -> fmt::Result {
    write_histogram(snapshot, to, &WRITE_SECONDS, |sink| &sink.write_times)?;
    write_histogram(snapshot, to, &AGE_SECONDS, |sink| &sink.ages)?;
    write_partitions(snapshot, to)
}

fn write_partitions(snapshot: &Snapshot, to: &mut impl Write) -> fmt::Result {
    write_metric(snapshot, to, &PARTITION_POSITION, |lane| Some(lane.position.0))?;
    write_metric(snapshot, to, &PARTITION_WATERMARK, |lane| Some(lane.watermark.0))?;
    write_metric(snapshot, to, &PARTITION_COMMITTED, |lane| lane.committed.map(|mark| mark.0))?;
    write_metric(snapshot, to, &PARTITION_LAG, |lane| lane.log_end.map(|_| lane.lag()))
}

fn write_histogram(
    snapshot: &Snapshot,
    to: &mut impl Write,
    metric: &Metric,
    times: impl Fn(&SinkCounts) -> &TimeCounts,
) -> fmt::Result {
    let Metric { name, help, .. } = metric;
    let pipeline = snapshot.graph.pipeline;
    write!(to, "# HELP {name} {help}\n# TYPE {name} histogram\n")?;
    for (node, sink) in snapshot.graph.sinks.iter().zip(&snapshot.sinks) {
        let labels = format!("pipeline=\"{pipeline}\",sink=\"{}\"", node.name);
        let times = times(sink);
        let mut up_to = 0;
        for (bound, count) in BOUNDS_MS.iter().zip(times.counts) {
            up_to += count;
            let seconds = std::time::Duration::from_millis(*bound).as_secs_f64();
            writeln!(to, "{name}_bucket{{{labels},le=\"{seconds}\"}} {up_to}")?;
        }
        let total = times.total();
        let sum = std::time::Duration::from_micros(times.micros).as_secs_f64();
        writeln!(to, "{name}_bucket{{{labels},le=\"+Inf\"}} {total}")?;
        writeln!(to, "{name}_sum{{{labels}}} {sum}\n{name}_count{{{labels}}} {total}")?;
    }
    Ok(())
}

fn write_metric(
    snapshot: &Snapshot,
    to: &mut impl Write,
    metric: &Metric,
    value: impl Fn(&LaneCounts) -> Option<u64>,
) -> fmt::Result {
    let mut values = snapshot
        .lanes
        .iter()
        .filter_map(|lane| Some((lane, value(lane)?)))
        .peekable();
    if values.peek().is_none() {
        return Ok(());
    }
    let Metric { name, help, .. } = metric;
    let pipeline = snapshot.graph.pipeline;
    write!(to, "# HELP {name} {help}\n# TYPE {name} gauge\n")?;
    for (lane, value) in values {
        let source = snapshot
            .graph
            .sources
            .get(lane.source)
            .map_or("", |source| source.name);
        let (topic, id) = (escaped(&lane.partition.topic), lane.partition.id);
        write!(to, "{name}{{pipeline=\"{pipeline}\",source=\"{source}\",")?;
        writeln!(to, "topic=\"{topic}\",partition=\"{id}\"}} {value}")?;
    }
    Ok(())
}

/// A label's value as the text format wants it.
fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{NextOffset, Partition, Watermark};
    use crate::pipeline::report::tests::{lane, snapshot};

    fn scraped(lanes: Vec<LaneCounts>) -> String {
        let mut text = String::new();
        write_partitions(&Snapshot { lanes, ..snapshot() }, &mut text).unwrap();
        text
    }

    /// R125: after a rebalance the old owner shows nothing of the partition.
    #[test]
    fn r125_a_partition_given_up_is_not_shown() {
        let mut behind = lane(0, 10);
        behind.log_end = Some(NextOffset(15));
        let line = "spate_partition_lag{pipeline=\"orders\",source=\"events\",topic=\"orders\",\
                    partition=\"0\"} 5\n";
        assert!(scraped(vec![behind]).contains(line));
        assert_eq!(scraped(vec![]), "", "no lane, no line, no heading");
    }

    /// R126: what the source cannot tell is left out, not -1.
    #[test]
    fn r126_a_lag_that_is_not_known_is_left_out() {
        let mut unknown = lane(2, 10);
        unknown.log_end = None;
        unknown.committed = None;
        let text = scraped(vec![unknown]);
        assert!(!text.contains("lag") && !text.contains("committed"), "{text}");
        assert!(text.contains("partition=\"2\"} 10\n"), "{text}");
    }

    /// R127: what came and went leaves no series.
    #[test]
    fn r127_ten_thousand_files_leave_as_many_series_as_there_are_lanes() {
        for file in 0..10_000 {
            let mut of_file = lane(0, 1);
            of_file.partition = Partition::new(format!("file-{file}"), 0);
            of_file.watermark = Watermark(1);
            let text = scraped(vec![of_file]);
            assert_eq!(text.lines().filter(|line| !line.starts_with('#')).count(), 4);
        }
    }

    #[test]
    fn a_histogram_counts_everything_up_to_each_bound() {
        let mut counted = snapshot();
        counted.sinks[0].write_times.counts = [1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4];
        counted.sinks[0].write_times.micros = 1_500_000;
        let mut text = String::new();
        write_scraped(&counted, &mut text).unwrap();
        let labels = "pipeline=\"orders\",sink=\"lines\"";
        for line in [
            "# TYPE spate_sink_write_seconds histogram\n".to_owned(),
            format!("spate_sink_write_seconds_bucket{{{labels},le=\"0.001\"}} 1\n"),
            format!("spate_sink_write_seconds_bucket{{{labels},le=\"0.005\"}} 3\n"),
            format!("spate_sink_write_seconds_bucket{{{labels},le=\"60\"}} 3\n"),
            format!("spate_sink_write_seconds_bucket{{{labels},le=\"+Inf\"}} 7\n"),
            format!("spate_sink_write_seconds_sum{{{labels}}} 1.5\n"),
            format!("spate_sink_write_seconds_count{{{labels}}} 7\n"),
        ] {
            assert!(text.contains(&line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn label_values_are_escaped() {
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}
