//! Tests of `pipeline/report.rs`: cases as data.

use super::*;
use crate::graph::{ChainNode, Policy, SinkNode, SourceNode, StageKind, StageNode};

const fn stage(
    label: &'static str,
    kind: StageKind,
    upstream: Option<usize>,
    policy: Policy,
) -> StageNode {
    StageNode { label, kind, upstream, policy, operator: "", line: 1 }
}

const fn sink(name: &'static str) -> SinkNode {
    SinkNode { name, declared: "File<Row>", key: "" }
}

const LINES: usize = 0;
const REFUNDS: usize = 1;
const REJECTS: usize = 2;

/// Every kind of stage that counts in a way of its own.
pub(crate) static GRAPH: Graph = Graph {
    pipeline: "orders",
    file: "src/main.rs",
    sources: &[SourceNode { name: "events", declared: "Kafka<Json<OrderEvent<'_>>>" }],
    sinks: &[sink("lines"), sink("refunds"), sink("rejects")],
    lookups: &[],
    chains: &[ChainNode {
        name: "bill",
        source: 0,
        stages: &[
            stage("decode", StageKind::Decode, None, Policy::DeadLetter(REJECTS)),
            stage("in_stock", StageKind::Filter, Some(0), Policy::None),
            stage("split", StageKind::Split, Some(1), Policy::None),
            stage("placed", StageKind::Arm, Some(2), Policy::None),
            stage("price", StageKind::Map, Some(3), Policy::Skip),
            stage("tee", StageKind::Tee, Some(4), Policy::None),
            stage("left", StageKind::Branch, Some(5), Policy::None),
            stage("to_lines", StageKind::To(LINES), Some(6), Policy::None),
            stage("right", StageKind::Branch, Some(5), Policy::None),
            stage("explode", StageKind::FlatMap, Some(8), Policy::None),
            stage("to_refunds", StageKind::To(REFUNDS), Some(9), Policy::None),
            stage("ping", StageKind::Arm, Some(2), Policy::None),
            stage("heartbeat", StageKind::Discard("heartbeat"), Some(11), Policy::None),
        ],
    }],
};

const DECODE: usize = 0;
const PLACED: usize = 3;
const EXPLODE: usize = 9;

fn durable(rows: u64) -> SinkCounts {
    SinkCounts { pushed: rows, durable: rows, batches: 1, bytes: rows * 8, ..SinkCounts::default() }
}

pub(crate) fn lane(id: u32, watermark: u64) -> LaneCounts {
    LaneCounts {
        source: 0,
        partition: Partition::new("orders", id),
        epoch: Epoch(1),
        position: NextOffset(watermark),
        watermark: Watermark(watermark),
        committed: Some(Watermark(watermark)),
        log_end: Some(NextOffset(watermark)),
        unresolved: 0,
        blocked: false,
        stalled: false,
    }
}

/// 1,000 payloads: 10 tombstones, 20 undecodable, 30 items beyond one each, 100 out of stock,
/// 60 pings; of 840 placed 5 have no price, the rest is teed, and 15 of it explode into two.
pub(crate) fn balanced() -> Report {
    let mut stages = vec![StageCounts::default(); 13];
    stages[DECODE] = StageCounts { made: 30, dropped: 10, failed: 20 };
    stages[1].dropped = 100;
    stages[PLACED].made = 840;
    stages[4].failed = 5;
    stages[EXPLODE].made = 15;
    stages[11].made = 60;
    Report {
        outcome: Outcome::Drained,
        snapshot: Snapshot {
            graph: &GRAPH,
            phase: Phase::Ended,
            elapsed: Duration::from_millis(12_340),
            chains: vec![ChainCounts { payloads: 1000, in_hand: 0, stages }],
            sinks: vec![durable(835), durable(850), durable(20)],
            lookups: vec![],
            lanes: vec![lane(1, 400)],
            ended: vec![lane(0, 600)],
            has_assignment: true,
            failures: Vec::new(),
            stall: None,
            commits: 3,
            commits_refused: 0,
            assigned: 2,
            revoked: 0,
            memory_used: 0,
            memory_limit: 1 << 28,
            memory_peak: 15 << 20,
            resident_peak: Some(25 << 20),
            lane_wakes: 5,
        },
    }
}

pub(crate) fn snapshot() -> Snapshot {
    balanced().snapshot
}

#[test]
fn every_stage_passes_on_what_it_neither_drops_nor_fails_on() {
    let report = balanced();
    let flows = flows(&GRAPH.chains[0], &report.snapshot.chains[0]);
    for (flow, node) in flows.iter().zip(GRAPH.chains[0].stages) {
        assert_eq!(
            flow.input + flow.made,
            flow.out + flow.filtered + flow.skipped + flow.diverted + flow.discarded,
            "{}",
            node.label
        );
    }
    let outs: Vec<_> = flows.iter().map(|flow| flow.out).collect();
    assert_eq!(outs, [1000, 900, 900, 840, 835, 1670, 835, 835, 835, 850, 850, 60, 0]);
    assert_eq!(flows[12].discarded, 60);
}

#[test]
fn a_run_in_which_nothing_is_lost_balances() {
    assert_eq!(balanced().balance(), Ok(()));
}

/// The report can go red: each counter, broken alone, is found.
#[test]
fn a_broken_counter_goes_red() {
    type Break = fn(&mut Snapshot);
    let breaks: &[(&str, Break)] = &[
        ("payloads", |s| s.chains[0].payloads += 1),
        ("made", |s| s.chains[0].stages[EXPLODE].made -= 1),
        ("dropped", |s| s.chains[0].stages[1].dropped += 1),
        ("failed", |s| s.chains[0].stages[DECODE].failed -= 1),
        ("arm", |s| s.chains[0].stages[PLACED].made += 1),
        ("below zero", |s| s.chains[0].stages[4].failed = 5000),
        ("pushed", |s| s.sinks[REJECTS].pushed += 1),
        ("cut", |s| s.sinks[LINES].cut += 1),
        ("durable", |s| s.sinks[LINES].durable -= 1),
        ("abandoned", |s| s.sinks[REFUNDS].abandoned += 1),
        ("committed", |s| s.ended[0].committed = Some(Watermark(601))),
    ];
    for (name, break_it) in breaks {
        let mut report = balanced();
        break_it(&mut report.snapshot);
        assert!(report.balance().is_err(), "{name} was broken and nobody noticed");
        let text = report.to_string();
        assert!(text.contains("balance: BROKEN"), "{name}: {text}");
    }
}

#[test]
fn an_imbalance_names_what_differs() {
    let mut report = balanced();
    report.snapshot.sinks[LINES].durable -= 1;
    let broken = report.balance().unwrap_err();
    let text = broken[0].to_string();
    assert_eq!(text, "sink lines: rows pushed, rows durable or abandoned: 835 is not 834");
    assert_eq!(broken.len(), 1);
}

#[test]
fn rows_given_up_at_the_deadline_are_accounted_for() {
    let mut report = balanced();
    report.outcome = Outcome::DeadlinePassed;
    report.snapshot.sinks[LINES] =
        SinkCounts { pushed: 800, cut: 35, durable: 700, abandoned: 100, ..SinkCounts::default() };
    assert_eq!(report.balance(), Ok(()));
    assert_eq!(report.exit_code(), 3);
    let text = report.to_string();
    assert!(text.contains("not drained: the deadline passed"), "{text}");
    assert!(text.contains("  cut  "), "{text}");
}

#[test]
fn a_payload_in_hand_is_said_and_its_chain_is_not_held_to_its_counts() {
    let mut report = balanced();
    report.outcome = Outcome::Failed;
    report.snapshot.chains[0].payloads += 1;
    report.snapshot.chains[0].in_hand = 1;
    let failure = "stage `price` of chain `bill` panicked at orders[1] offset 400";
    report.snapshot.failures.push(failure.to_owned());
    assert_eq!(report.balance(), Ok(()));
    assert_eq!(report.exit_code(), 1);
    let text = report.to_string();
    assert!(text.contains(&format!("\n  failed: {failure}\n")), "{text}");
    assert!(text.contains("1 payloads of chain bill were in hand"), "{text}");
    report.snapshot.sinks[LINES].durable -= 1;
    assert!(report.balance().is_err(), "what a sink says of its own rows still counts");
}

#[test]
fn the_report_is_an_aligned_text() {
    let expected = "\
orders drained after 12.3s

chain bill       in  made    out  filtered  skipped  diverted  discarded
  decode      1,000    30  1,000        10        0        20          0
  in_stock    1,000     0    900       100        0         0          0
  split         900     0    900         0        0         0          0
  placed        840     0    840         0        0         0          0
  price         840     0    835         0        5         0          0
  tee           835   835  1,670         0        0         0          0
  left          835     0    835         0        0         0          0
  to_lines      835     0    835         0        0         0          0
  right         835     0    835         0        0         0          0
  explode       835    15    850         0        0         0          0
  to_refunds    850     0    850         0        0         0          0
  ping           60     0     60         0        0         0          0
  heartbeat      60     0      0         0        0         0         60

sinks      pushed  durable  abandoned  batches  bytes  retries
  lines       835      835          0        1  6,680        0
  refunds     850      850          0        1  6,800        0
  rejects      20       20          0        1    160        0

lanes        epoch  position  watermark  committed  log end  unresolved
  orders[0]      1       600        600        600      600           0
  orders[1]      1       400        400        400      400           0

memory: 15 MiB of rows in flight at most, the budget is 256 MiB; the process had 25 MiB at most
balance: every record is accounted for";
    assert_eq!(balanced().to_string(), expected);
}

#[test]
fn many_lanes_are_one_line_per_topic() {
    let mut report = balanced();
    report.snapshot.ended.clear();
    report.snapshot.lanes = (0..78).map(|id| lane(id, 1000 + u64::from(id))).collect();
    report.snapshot.lanes[3].log_end = Some(NextOffset(2000));
    let text = report.to_string();
    assert!(
        text.contains("topics    lanes  lowest watermark  uncommitted  lag  unresolved"),
        "{text}"
    );
    assert!(
        text.contains("  orders     78             1,000            0  997           0"),
        "{text}"
    );
}

#[test]
fn counts_of_the_loop_are_read_as_they_are() {
    let counters = ChainCounters::new(2);
    counters.payloads.store(5, Ordering::Relaxed);
    counters.stages[1].failed.store(3, Ordering::Relaxed);
    let counts = ChainCounts::from(&counters);
    assert_eq!(counts.payloads, 5);
    assert_eq!(counts.stages[1], StageCounts { failed: 3, ..StageCounts::default() });
}
