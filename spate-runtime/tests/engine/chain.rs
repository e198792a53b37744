//! A chain as the macro would write it: keeps odd numbers, panics or stops where it is told.

use spate_runtime::batch::Batch;
use spate_runtime::chain::cx::{LaneCx, Progress};
use spate_runtime::chain::frame_buf::FrameBuf;
use spate_runtime::chain::lane_chain::{
    BuildLane, LaneChain, LaneSeed, SinkSet, end_of_payload_cold,
};
use spate_runtime::chain::port::{Port, PortCore};
use spate_runtime::chain::row::{Column, DataType, EncodeError, Row, RowEncoder, ValueEncoder};
use spate_runtime::chain::shard_key::ShardKey;
use spate_runtime::chain::tally::{ChainCounters, Tally};
use spate_runtime::graph::{ChainNode, Graph, Policy, SinkNode, SourceNode, StageKind, StageNode};
use spate_runtime::id::SinkId;

/// The chain stops before this number.
pub(crate) const POISON: u64 = u64::MAX;
/// The chain panics on this number.
pub(crate) const BOMB: u64 = u64::MAX - 2;
/// The row of this number cannot be encoded.
pub(crate) const MISFIT: u64 = u64::MAX - 4;

/// The row of this number has so many bytes more than others.
pub(crate) const HUGE: u64 = u64::MAX - 6;
pub(crate) const HUGE_BYTES: usize = 16 << 20;

pub(crate) struct Number(pub(crate) u64);

impl Row for Number {
    const NAME: &'static str = "Number";
    const COLUMNS: &'static [Column] =
        &[Column { name: "n", rust_type: "u64", data_type: DataType::UInt64 }];

    fn binary_bound(&self) -> usize {
        usize::try_from(self.0).unwrap()
    }

    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        // Only the tests' own encoder drives it: the number travels as the row's bound.
        let _ = encoder;
        Ok(())
    }
}

/// Eight bytes a row, little-endian.
#[derive(Default)]
pub(crate) struct Eight;

impl RowEncoder for Eight {
    const NAME: &'static str = "Eight";

    fn encode<R: Row>(&mut self, row: &R, out: &mut FrameBuf) -> Result<(), EncodeError> {
        let number = row.binary_bound() as u64;
        out.extend(&number.to_le_bytes());
        if number == HUGE {
            out.extend(&vec![0; HUGE_BYTES]);
        }
        if number == MISFIT {
            return Err(EncodeError::new("the number has no representation").in_column("n"));
        }
        Ok(())
    }
}

/// The stages: raw, filter `odd`, inspect `look`, to `out`.
const STAGES: [StageNode; 4] = [
    stage("raw", StageKind::Raw, None, Policy::None),
    stage("odd", StageKind::Filter, Some(0), Policy::None),
    stage("look", StageKind::Inspect, Some(1), Policy::Stop),
    stage("out", StageKind::To(0), Some(2), Policy::None),
];

const fn stage(
    label: &'static str,
    kind: StageKind,
    upstream: Option<usize>,
    policy: Policy,
) -> StageNode {
    StageNode { label, kind, upstream, policy, operator: "", line: 0 }
}

pub(crate) const GRAPH: Graph = Graph {
    pipeline: "numbers",
    file: "src/main.rs",
    sources: &[SourceNode { name: "input", declared: "Memory" }],
    sinks: &[SinkNode { name: "out", declared: "Server", key: "n" }],
    lookups: &[],
    chains: &[ChainNode { name: "keep", source: 0, stages: &STAGES }],
};

#[derive(Debug, thiserror::Error)]
#[error("poison")]
struct Poison;

pub(crate) struct Keep {
    tally: Tally<4>,
    out: Out,
}

pub(crate) struct Out(pub(crate) Port<Eight>);

impl SinkSet for Out {
    fn port(&mut self, sink: usize) -> Option<&mut PortCore> {
        (sink == 0).then(|| self.0.core_mut())
    }

    fn end_of_payload(&mut self) -> bool {
        self.0.attention() && end_of_payload_cold(self)
    }
}

impl LaneChain for Keep {
    fn run(&mut self, batch: Batch<'_>, cx: &mut LaneCx) -> Progress {
        let Self { tally, out } = self;
        for payload in cx.rest(batch) {
            let at = cx.take(payload);
            'payload: {
                let value = payload.value.unwrap_or_default();
                let number = u64::from_le_bytes(value.try_into().unwrap());
                cx.enter(1);
                if number % 2 == 0 && number < HUGE - 1 {
                    tally.dropped[1] += 1;
                    break 'payload;
                }
                cx.enter(2);
                assert_ne!(number, BOMB, "boom");
                if number == POISON {
                    tally.failed[2] += 1;
                    return cx.stop(2, &batch.meta(payload), &Poison);
                }
                out.0.push(&Number(number), at, |row| row.0.shard_hash());
            }
            if out.end_of_payload() {
                return cx.blocked();
            }
        }
        cx.done()
    }

    fn flush_tally(&mut self, counters: &ChainCounters) {
        self.tally.flush(counters);
    }

    fn sinks(&mut self) -> &mut dyn SinkSet {
        &mut self.out
    }
}

impl BuildLane for Keep {
    fn build(seed: &LaneSeed<'_>) -> Self {
        Self { tally: Tally::default(), out: Out(seed.port(SinkId(0))) }
    }
}
