//! Handles on the `metrics` facade: registered once per pipeline, set from snapshots.

use std::fmt;

use metrics::{
    Counter, Gauge, Key, KeyName, Label, Level, Metadata, Recorder, SharedString, with_recorder,
};

use super::names::{self, Kind, Metric};
use crate::graph::{Graph, Policy, StageKind};
use crate::pipeline::report::{Flow, LaneCounts, LookupCounts, SinkCounts, Snapshot, flows};

/// The handles of one pipeline. Setting them never waits and allocates for the flows only.
pub struct Metrics {
    /// Shape `[chain]`.
    chains: Vec<ChainHandles>,
    /// Shape `[sink]`.
    sinks: Vec<SinkHandles>,
    /// Shape `[lookup]`.
    lookups: Vec<LookupHandles>,
    /// Shape `[source]`.
    sources: Vec<SourceHandles>,
    commits: Counter,
    commits_refused: Counter,
    assigned: Counter,
    revoked: Counter,
    lane_wakes: Counter,
    memory: Gauge,
    memory_limit: Gauge,
    memory_peak: Gauge,
}

struct ChainHandles {
    payloads: Counter,
    /// Shape `[stage]`.
    stages: Vec<StageHandles>,
}

struct StageHandles {
    input: Counter,
    out: Counter,
    filtered: Option<Counter>,
    skipped: Option<Counter>,
    diverted: Option<Counter>,
    discarded: Option<Counter>,
}

struct SinkHandles {
    pushed: Counter,
    durable: Counter,
    abandoned: Counter,
    batches: Counter,
    bytes: Counter,
    retries: Counter,
    turns: Counter,
    in_flight: Gauge,
    up: Gauge,
}

struct LookupHandles {
    loads: Counter,
    failures: Counter,
    entries: Gauge,
    age: Gauge,
}

struct SourceHandles {
    lanes: Gauge,
    blocked: Gauge,
    stalled: Gauge,
    lag: Gauge,
    unresolved: Gauge,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Metrics {
    /// Describes all metrics and registers every series of `graph` with the recorder of the
    /// process; without one the handles do nothing.
    #[must_use]
    pub fn register(graph: &'static Graph) -> Self {
        with_recorder(|recorder| Register { recorder, pipeline: graph.pipeline }.all(graph))
    }

    /// Sets every handle.
    pub fn record(&self, snapshot: &Snapshot) {
        let chains = self
            .chains
            .iter()
            .zip(snapshot.graph.chains)
            .zip(&snapshot.chains);
        for ((handles, chain), counts) in chains {
            handles.payloads.absolute(counts.payloads);
            for (stage, flow) in handles.stages.iter().zip(flows(chain, counts)) {
                stage.record(&flow);
            }
        }
        for (handles, sink) in self.sinks.iter().zip(&snapshot.sinks) {
            handles.record(sink);
        }
        for (handles, lookup) in self.lookups.iter().zip(&snapshot.lookups) {
            handles.record(lookup);
        }
        for (source, handles) in self.sources.iter().enumerate() {
            handles.record(&snapshot.lanes, source);
        }
        self.commits.absolute(snapshot.commits);
        self.commits_refused.absolute(snapshot.commits_refused);
        self.assigned.absolute(snapshot.assigned);
        self.revoked.absolute(snapshot.revoked);
        set(&self.memory, snapshot.memory_used);
        set(&self.memory_limit, snapshot.memory_limit);
        set(&self.memory_peak, snapshot.memory_peak);
        self.lane_wakes.absolute(snapshot.lane_wakes);
    }
}

impl StageHandles {
    fn record(&self, flow: &Flow) {
        self.input.absolute(flow.input);
        self.out.absolute(flow.out);
        let counts = [
            (&self.filtered, flow.filtered),
            (&self.skipped, flow.skipped),
            (&self.diverted, flow.diverted),
            (&self.discarded, flow.discarded),
        ];
        for (handle, count) in counts {
            if let Some(handle) = handle {
                handle.absolute(count);
            }
        }
    }
}

impl SinkHandles {
    fn record(&self, sink: &SinkCounts) {
        self.pushed.absolute(sink.pushed);
        self.durable.absolute(sink.durable);
        self.abandoned.absolute(sink.abandoned);
        self.batches.absolute(sink.batches);
        self.bytes.absolute(sink.bytes);
        self.retries.absolute(sink.retries);
        self.turns.absolute(sink.turns);
        set(&self.in_flight, sink.in_flight());
        set(&self.up, u64::from(sink.answered && sink.trouble.is_none()));
    }
}

impl LookupHandles {
    fn record(&self, lookup: &LookupCounts) {
        self.loads.absolute(lookup.loads);
        self.failures.absolute(lookup.failures);
        set(&self.entries, lookup.entries);
        set(&self.age, lookup.age.map_or(0, |age| age.as_secs()));
    }
}

impl SourceHandles {
    fn record(&self, lanes: &[LaneCounts], source: usize) {
        let [mut all, mut blocked, mut stalled, mut lag, mut unresolved] = [0_u64; 5];
        for lane in lanes.iter().filter(|lane| lane.source == source) {
            all += 1;
            blocked += u64::from(lane.blocked);
            stalled += u64::from(lane.stalled);
            lag += lane.lag();
            unresolved += lane.unresolved as u64;
        }
        set(&self.lanes, all);
        set(&self.blocked, blocked);
        set(&self.stalled, stalled);
        set(&self.lag, lag);
        set(&self.unresolved, unresolved);
    }
}

/// Gauges are floating point; above 2^53 the last digits are lost, which no eye will miss.
#[expect(clippy::cast_precision_loss, reason = "a gauge is for eyes")]
fn set(gauge: &Gauge, value: u64) {
    gauge.set(value as f64);
}

const METADATA: Metadata<'static> =
    Metadata::new("spate", Level::INFO, Some("spate_runtime::metrics"));

struct Register<'a> {
    recorder: &'a dyn Recorder,
    pipeline: &'static str,
}

impl Register<'_> {
    fn all(&self, graph: &'static Graph) -> Metrics {
        for metric in names::ALL {
            let name = KeyName::from_const_str(metric.name);
            let help = SharedString::const_str(metric.help);
            match metric.kind {
                Kind::Counter => self.recorder.describe_counter(name, None, help),
                Kind::Gauge => self.recorder.describe_gauge(name, None, help),
                Kind::Partition | Kind::Histogram => {}
            }
        }
        Metrics {
            chains: graph.chains.iter().map(|chain| self.chain(chain)).collect(),
            sinks: graph
                .sinks
                .iter()
                .map(|sink| self.sink(sink.name))
                .collect(),
            lookups: graph
                .lookups
                .iter()
                .map(|lookup| self.lookup(lookup.name))
                .collect(),
            sources: graph
                .sources
                .iter()
                .map(|source| self.source(source.name))
                .collect(),
            commits: self.counter(&names::COMMITS, &[]),
            commits_refused: self.counter(&names::COMMITS_REFUSED, &[]),
            assigned: self.counter(&names::ASSIGNED, &[]),
            revoked: self.counter(&names::REVOKED, &[]),
            memory: self.gauge(&names::MEMORY, &[]),
            memory_limit: self.gauge(&names::MEMORY_LIMIT, &[]),
            memory_peak: self.gauge(&names::MEMORY_PEAK, &[]),
            lane_wakes: self.counter(&names::LANE_WAKES, &[]),
        }
    }

    fn chain(&self, chain: &'static crate::graph::ChainNode) -> ChainHandles {
        let stages = chain.stages.iter().map(|node| {
            let counter = |metric| self.counter(metric, &[chain.name, node.label]);
            let when = |yes: bool, metric| yes.then(|| counter(metric));
            let drops = matches!(
                node.kind,
                StageKind::Decode
                    | StageKind::Raw
                    | StageKind::Filter
                    | StageKind::FilterMap
                    | StageKind::FlatMap
                    | StageKind::Apply
                    | StageKind::Dedup
                    | StageKind::Sample
                    | StageKind::SampleBy
            );
            StageHandles {
                input: counter(&names::STAGE_IN),
                out: counter(&names::STAGE_OUT),
                filtered: when(drops, &names::STAGE_FILTERED),
                skipped: when(node.policy == Policy::Skip, &names::STAGE_SKIPPED),
                diverted: when(
                    matches!(node.policy, Policy::DeadLetter(_)),
                    &names::STAGE_DIVERTED,
                ),
                discarded: when(
                    matches!(node.kind, StageKind::Discard(_)),
                    &names::STAGE_DISCARDED,
                ),
            }
        });
        ChainHandles {
            stages: stages.collect(),
            payloads: self.counter(&names::PAYLOADS, &[chain.name]),
        }
    }

    fn sink(&self, sink: &'static str) -> SinkHandles {
        SinkHandles {
            pushed: self.counter(&names::ROWS_PUSHED, &[sink]),
            durable: self.counter(&names::ROWS_DURABLE, &[sink]),
            abandoned: self.counter(&names::ROWS_ABANDONED, &[sink]),
            batches: self.counter(&names::BATCHES, &[sink]),
            bytes: self.counter(&names::BYTES, &[sink]),
            retries: self.counter(&names::RETRIES, &[sink]),
            turns: self.counter(&names::TURNS, &[sink]),
            in_flight: self.gauge(&names::IN_FLIGHT, &[sink]),
            up: self.gauge(&names::SINK_UP, &[sink]),
        }
    }

    fn lookup(&self, lookup: &'static str) -> LookupHandles {
        LookupHandles {
            loads: self.counter(&names::LOOKUP_LOADS, &[lookup]),
            failures: self.counter(&names::LOOKUP_FAILURES, &[lookup]),
            entries: self.gauge(&names::LOOKUP_ENTRIES, &[lookup]),
            age: self.gauge(&names::LOOKUP_AGE, &[lookup]),
        }
    }

    fn source(&self, source: &'static str) -> SourceHandles {
        SourceHandles {
            lanes: self.gauge(&names::LANES, &[source]),
            blocked: self.gauge(&names::LANES_BLOCKED, &[source]),
            stalled: self.gauge(&names::LANES_STALLED, &[source]),
            lag: self.gauge(&names::LAG, &[source]),
            unresolved: self.gauge(&names::UNRESOLVED, &[source]),
        }
    }

    fn counter(&self, metric: &Metric, values: &[&'static str]) -> Counter {
        self.recorder
            .register_counter(&self.key(metric, values), &METADATA)
    }

    fn gauge(&self, metric: &Metric, values: &[&'static str]) -> Gauge {
        self.recorder
            .register_gauge(&self.key(metric, values), &METADATA)
    }

    fn key(&self, metric: &Metric, values: &[&'static str]) -> Key {
        debug_assert_eq!(metric.labels.len(), values.len(), "labels of {}", metric.name);
        let own = metric.labels.iter().zip(values);
        let mut labels = vec![Label::from_static_parts("pipeline", self.pipeline)];
        labels.extend(own.map(|(name, value)| Label::from_static_parts(name, value)));
        Key::from_parts(metric.name, labels)
    }
}

#[cfg(test)]
mod tests;
