//! The simulated chain: decode, filter with state, flat_map, tee; written as the macro would.

use std::collections::BTreeSet;

use super::world::{Kind, Shared, Trap};
use crate::batch::Batch;
use crate::chain::cx::{LaneCx, Progress};
use crate::chain::lane_chain::{LaneChain, LaneSeed, SinkSet, end_of_payload_cold};
use crate::chain::port::{Port, PortCore};
use crate::chain::shard_key::ShardKey as _;
use crate::chain::tally::{ChainCounters, Tally};
use crate::graph::{ChainNode, Graph, Policy, SinkNode, SourceNode, StageKind, StageNode};
use crate::id::{Offset, SinkId};
use crate::testing::{Plain, TestRow};

const DECODE: usize = 0;
const KEEP: usize = 1;
const ITEMS: usize = 2;

const fn stage(label: &'static str, kind: StageKind, upstream: Option<usize>) -> StageNode {
    StageNode { label, kind, upstream, policy: Policy::None, operator: "", line: 0 }
}

pub(super) static GRAPH: Graph = Graph {
    pipeline: "sim",
    file: "src/main.rs",
    sources: &[SourceNode { name: "logs", declared: "Sim" }],
    sinks: &[
        SinkNode { name: "lines", declared: "Sim", key: "of" },
        SinkNode { name: "copies", declared: "Sim", key: "" },
        SinkNode { name: "rejects", declared: "Sim", key: "" },
    ],
    lookups: &[],
    chains: &[ChainNode {
        name: "sim",
        source: 0,
        stages: &[
            StageNode { policy: Policy::DeadLetter(2), ..stage("decode", StageKind::Decode, None) },
            stage("keep", StageKind::Filter, Some(DECODE)),
            StageNode { policy: Policy::Stop, ..stage("items", StageKind::FlatMap, Some(KEEP)) },
            stage("tee", StageKind::Tee, Some(ITEMS)),
            stage("tee.1", StageKind::Branch, Some(3)),
            stage("lines", StageKind::To(0), Some(4)),
            stage("tee.2", StageKind::Branch, Some(3)),
            stage("copies", StageKind::To(1), Some(6)),
        ],
    }],
};

/// Names a row: its partition, its payload, its item.
pub(super) fn row_id(partition: u32, offset: u64, item: u64) -> u64 {
    u64::from(partition) << 40 | offset << 8 | item
}

/// The length of a row: most are short, some make a frame grow.
pub(super) fn row_len(of: u64) -> usize {
    let hash = of.shard_hash();
    8 + if hash.is_multiple_of(23) { 3_000 } else { usize::try_from(hash % 40).unwrap_or(0) }
}

/// The rows a payload stands for, by sink.
pub(super) fn rows_of(kind: Kind, partition: u32, offset: u64) -> Vec<(usize, u64)> {
    match kind {
        Kind::Tombstone | Kind::Filtered => Vec::new(),
        Kind::Rejected => vec![(2, row_id(partition, offset, 0))],
        Kind::Items(count) => (0..u64::from(count))
            .flat_map(|item| [0, 1].map(|sink| (sink, row_id(partition, offset, item))))
            .collect(),
    }
}

struct Ports {
    ports: [Port<Plain>; 3],
}

impl SinkSet for Ports {
    fn port(&mut self, sink: usize) -> Option<&mut PortCore> {
        self.ports.get_mut(sink).map(Port::core_mut)
    }

    fn end_of_payload(&mut self) -> bool {
        self.ports.iter().any(Port::attention) && end_of_payload_cold(self)
    }
}

pub(super) struct SimChain {
    world: Shared,
    process: u64,
    ports: Ports,
    tally: Tally<8>,
    /// The state: what it kept once is not kept again.
    kept: BTreeSet<Offset>,
}

impl SimChain {
    pub(super) fn new(world: &Shared, process: u64, seed: &LaneSeed<'_>) -> Self {
        Self {
            world: world.clone(),
            process,
            ports: Ports { ports: [0, 1, 2].map(|sink| seed.port(SinkId(sink))) },
            tally: Tally::default(),
            kept: BTreeSet::new(),
        }
    }

    fn push(&mut self, sink: usize, of: u64, at: Offset, bad: bool) {
        if !bad {
            let mut world = self.world.lock();
            world
                .members
                .get_mut(&self.process)
                .expect("it runs")
                .pushes[sink] += 1;
        }
        let row = TestRow { of, len: row_len(of), bad };
        self.ports.ports[sink].push(&row, at, |row| row.of.shard_hash());
    }
}

impl LaneChain for SimChain {
    fn run(&mut self, batch: Batch<'_>, cx: &mut LaneCx) -> Progress {
        let partition = batch.partition().id;
        for payload in cx.rest(batch) {
            let at = cx.take(payload);
            'payload: {
                cx.enter(DECODE);
                let Some(value) = payload.value else {
                    self.tally.dropped[DECODE] += 1;
                    break 'payload;
                };
                let kind = Kind::of(value);
                if kind == Kind::Rejected {
                    self.tally.failed[DECODE] += 1;
                    self.push(2, row_id(partition, at.0, 0), at, false);
                    break 'payload;
                }
                cx.enter(KEEP);
                let Kind::Items(count) = kind else {
                    self.tally.dropped[KEEP] += 1;
                    break 'payload;
                };
                if !self.kept.insert(at) {
                    self.tally.dropped[KEEP] += 1;
                    break 'payload;
                }
                cx.enter(ITEMS);
                let trap = self.world.lock().traps.get(&(partition, at.0)).copied();
                let sprung = u64::from(count.saturating_sub(1).min(1));
                match u64::from(count) {
                    0 => self.tally.dropped[ITEMS] += 1,
                    count => self.tally.made[ITEMS] += count - 1,
                }
                for item in 0..u64::from(count) {
                    let of = row_id(partition, at.0, item);
                    let trap = trap.filter(|_| item == sprung);
                    match trap {
                        Some(Trap::Panic) => {
                            self.world.lock().see("panic");
                            // Not `panic!`: nothing need be printed.
                            std::panic::resume_unwind(Box::new("a trap"));
                        }
                        Some(Trap::Stop) => {
                            self.world.lock().see("stopped");
                            let error = std::io::Error::other("a trap");
                            return cx.stop(ITEMS, &batch.meta(payload), &error);
                        }
                        Some(Trap::BadRow) => self.world.lock().see("bad row"),
                        None => {}
                    }
                    self.push(1, of, at, false);
                    self.push(0, of, at, trap.is_some());
                }
            }
            if self.ports.end_of_payload() {
                return cx.blocked();
            }
        }
        cx.done()
    }

    fn flush_tally(&mut self, counters: &ChainCounters) {
        self.tally.flush(counters);
    }

    fn sinks(&mut self) -> &mut dyn SinkSet {
        &mut self.ports
    }
}
