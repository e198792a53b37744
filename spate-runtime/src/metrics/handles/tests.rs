//! Tests of `metrics/handles.rs`: cases as data.

use metrics_exporter_prometheus::PrometheusBuilder;

use super::*;
use crate::pipeline::report::tests::{GRAPH, balanced, lane, snapshot};

/// Records `snapshots` one after the other and scrapes after each.
fn scrapes(snapshots: &[Snapshot]) -> Vec<String> {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    metrics::with_local_recorder(&recorder, || {
        let metrics = Metrics::register(&GRAPH);
        let scrape = |snapshot| {
            metrics.record(snapshot);
            handle.render()
        };
        snapshots.iter().map(scrape).collect()
    })
}

fn series(text: &str) -> usize {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .count()
}

#[test]
fn every_metric_of_the_facade_is_scraped_under_its_name() {
    let text = &scrapes(&[balanced().snapshot])[0];
    for metric in names::ALL
        .iter()
        .filter(|metric| matches!(metric.kind, Kind::Counter | Kind::Gauge))
        // This pipeline has no lookups.
        .filter(|metric| !metric.labels.contains(&"lookup"))
    {
        let kind = if metric.kind == Kind::Counter { "counter" } else { "gauge" };
        assert!(text.contains(&format!("# TYPE {} {kind}\n", metric.name)), "{}", metric.name);
        assert!(text.contains(&format!("# HELP {} {}\n", metric.name, metric.help)), "{text}");
    }
    let lines = [
        "spate_payloads_total{pipeline=\"orders\",chain=\"bill\"} 1000",
        "spate_stage_filtered_total{pipeline=\"orders\",chain=\"bill\",stage=\"in_stock\"} 100",
        "spate_stage_skipped_total{pipeline=\"orders\",chain=\"bill\",stage=\"price\"} 5",
        "spate_stage_diverted_total{pipeline=\"orders\",chain=\"bill\",stage=\"decode\"} 20",
        "spate_stage_discarded_total{pipeline=\"orders\",chain=\"bill\",stage=\"heartbeat\"} 60",
        "spate_sink_rows_durable_total{pipeline=\"orders\",sink=\"lines\"} 835",
    ];
    for line in lines {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

/// R127: the number of series is that of the graph, whatever comes and goes.
#[test]
fn r127_rebalances_add_no_series() {
    let owns = |ids: std::ops::Range<u32>| Snapshot {
        lanes: ids.map(|id| lane(id, 5)).collect(),
        ..snapshot()
    };
    let snapshots: Vec<_> = (0..100).map(|turn| owns(turn..turn + 7)).collect();
    let counts: Vec<_> = scrapes(&snapshots)
        .iter()
        .map(|text| series(text))
        .collect();
    assert!(counts.iter().all(|&count| count == counts[0]), "{counts:?}");
}

/// R125: the sum of a source's lag falls with the partition that goes.
#[test]
fn r125_the_lag_goes_with_its_partition() {
    let mut behind = lane(0, 10);
    behind.log_end = Some(crate::id::NextOffset(15));
    let owner = Snapshot { lanes: vec![behind], ..snapshot() };
    let texts = scrapes(&[owner, Snapshot { lanes: vec![], ..snapshot() }]);
    let lag = "spate_source_lag{pipeline=\"orders\",source=\"events\"}";
    assert!(texts[0].contains(&format!("{lag} 5")), "{}", texts[0]);
    assert!(texts[1].contains(&format!("{lag} 0")), "{}", texts[1]);
}

/// R134: what a sink says when it fails is no label.
#[test]
fn r134_the_words_of_an_error_are_not_scraped() {
    let mut failing = snapshot();
    failing.sinks[0].trouble = Some("S3cr3t-zz9".to_owned());
    let text = &scrapes(&[failing])[0];
    assert!(text.contains("spate_sink_up{pipeline=\"orders\",sink=\"lines\"} 0"), "{text}");
    assert!(!text.contains("S3cr3t-zz9"), "{text}");
}
