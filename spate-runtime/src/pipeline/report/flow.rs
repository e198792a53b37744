//! From counters to flows: what went into and out of every stage, derived from the source down.

use super::{ChainCounts, Imbalance, Snapshot, StageCounts};
use crate::graph::{ChainNode, Policy, StageKind};

/// What went through one stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flow {
    /// Records that reached it.
    pub input: u64,
    /// Records it made beyond one per record in.
    pub made: u64,
    /// Records that went on; at the end of a path: rows for the sink.
    pub out: u64,
    /// Records it dropped as its purpose is.
    pub filtered: u64,
    /// Records it failed on that were skipped.
    pub skipped: u64,
    /// Records it failed on that became dead letters.
    pub diverted: u64,
    /// Records that were discarded on purpose.
    pub discarded: u64,
    /// Records that stopped the pipeline.
    pub stopped: u64,
    /// Records that left it although none were there: its counters are broken.
    missing: u64,
}

/// The flow of every stage of a chain, shape `[stage]`.
#[must_use]
pub fn flows(chain: &ChainNode, counts: &ChainCounts) -> Vec<Flow> {
    let mut flows: Vec<Flow> = Vec::with_capacity(chain.stages.len());
    for (stage, node) in chain.stages.iter().enumerate() {
        let counts_of = counts.stages.get(stage).copied().unwrap_or_default();
        let upstream = node.upstream.and_then(|at| Some((at, flows.get(at)?)));
        let input = match (upstream, node.kind) {
            (_, StageKind::Arm) => counts_of.made,
            (None, _) => counts.payloads,
            // A tee's branches get all its records each.
            (Some((_, above)), StageKind::Branch) => above.input,
            (Some((_, above)), _) => above.out,
        };
        let branches = chain
            .stages
            .iter()
            .filter(|below| below.upstream == Some(stage))
            .count();
        flows.push(flow(node.kind, node.policy, input, counts_of, branches as u64));
    }
    flows
}

fn flow(kind: StageKind, policy: Policy, input: u64, counts: StageCounts, branches: u64) -> Flow {
    let mut flow = Flow { input, ..Flow::default() };
    match kind {
        StageKind::Tee => flow.made = input * branches.saturating_sub(1),
        StageKind::Discard(_) => flow.discarded = input,
        StageKind::Arm | StageKind::Branch | StageKind::Split | StageKind::To(_) => {}
        StageKind::Decode
        | StageKind::Raw
        | StageKind::Filter
        | StageKind::Map
        | StageKind::FilterMap
        | StageKind::FlatMap
        | StageKind::Inspect
        | StageKind::Apply
        | StageKind::Dedup
        | StageKind::Sample
        | StageKind::SampleBy => {
            flow.made = counts.made;
            flow.filtered = counts.dropped;
        }
    }
    match policy {
        Policy::Skip => flow.skipped = counts.failed,
        Policy::DeadLetter(_) => flow.diverted = counts.failed,
        Policy::Stop | Policy::None => flow.stopped = counts.failed,
    }
    let there = flow.input + flow.made;
    let gone = flow.filtered + flow.skipped + flow.diverted + flow.discarded + flow.stopped;
    flow.out = there.saturating_sub(gone);
    flow.missing = gone.saturating_sub(there);
    flow
}

/// Every equation of chains and sinks that does not hold.
pub(super) fn imbalances(snapshot: &Snapshot) -> Vec<Imbalance> {
    let mut broken = Vec::new();
    let mut check = |what: &dyn Fn() -> String, left: u64, right: u64| {
        if left != right {
            broken.push(Imbalance { what: what(), left, right });
        }
    };
    // Shape `[sink]`: rows that chains sent there; `None` where a chain had a payload in hand.
    let mut sent = vec![Some(0_u64); snapshot.graph.sinks.len()];
    for (chain, counts) in snapshot.graph.chains.iter().zip(&snapshot.chains) {
        let flows = flows(chain, counts);
        let settled = counts.in_hand == 0;
        for (stage, (node, flow)) in chain.stages.iter().zip(&flows).enumerate() {
            let label = || format!("{}.{}", chain.name, node.label);
            if settled {
                let what = || format!("{}: records that left it without having come", label());
                check(&what, flow.missing, 0);
            }
            if settled && node.kind == StageKind::Split {
                let taken = chain.stages.iter().zip(&flows);
                let taken = taken.filter(|(below, _)| below.upstream == Some(stage));
                let what = || format!("{}: records in, records its arms took", label());
                check(&what, flow.out, taken.map(|(_, arm)| arm.input).sum());
            }
            let ends = match (node.kind, node.policy) {
                (StageKind::To(sink), _) => Some((sink, flow.out)),
                (_, Policy::DeadLetter(sink)) => Some((sink, flow.diverted)),
                _ => None,
            };
            if let Some((sink, rows)) = ends
                && let Some(sum) = sent.get_mut(sink)
            {
                *sum = sum.filter(|_| settled).map(|sum| sum + rows);
            }
        }
    }
    for (sink, (node, counts)) in snapshot.graph.sinks.iter().zip(&snapshot.sinks).enumerate() {
        if let Some(sent) = sent[sink] {
            let what = || format!("sink {}: rows sent by chains, rows taken by ports", node.name);
            check(&what, sent, counts.pushed + counts.cut);
        }
        let what = || format!("sink {}: rows pushed, rows durable or abandoned", node.name);
        check(&what, counts.pushed, counts.durable + counts.abandoned);
    }
    broken
}
