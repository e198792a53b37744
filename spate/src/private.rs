//! What generated code names. Not for people: no promise is made about anything in here.

pub use crate::cli::main;
pub use crate::editor;
pub use crate::test::{Harness, Lookup as TestLookup, Sink as TestSink, Source as TestSource};
#[cfg(feature = "clickhouse")]
pub use spate_clickhouse::table;
pub use spate_file::Ndjson;
pub use spate_runtime::batch::{Batch, Meta, Payload, Raw};
pub use spate_runtime::chain::captured::{
    Captured, DecodeError, DecodeRow, DecodeSkipped, DecodeValue, RowReader,
};
pub use spate_runtime::chain::cx::{LaneCx, Progress};
pub use spate_runtime::chain::dead_letter::DeadLetter;
pub use spate_runtime::chain::dedup::Dedup;
pub use spate_runtime::chain::format::{Choose, Chosen, Derived, Format, NotDerived, Probe};
pub use spate_runtime::chain::lane_chain::{
    AsSend, BuildLane, BuildPorts, Chain, Lane, LaneChain, LaneSeed, Moved, Moves, SinkSet,
    end_of_payload_cold,
};
pub use spate_runtime::chain::op;
pub use spate_runtime::chain::port::{Port, PortCore};
pub use spate_runtime::chain::record::{Field, FieldType, Record, Shape, Tag, Variant};
pub use spate_runtime::chain::row::{
    Column, DataType, EncodeError, Row, RowEncoder, Sharding, Value, ValueEncoder,
};
pub use spate_runtime::chain::shard_key::{ShardKey, assert_sharding};
pub use spate_runtime::chain::tally::{ChainCounters, Tally};
pub use spate_runtime::config::check::{
    Entry, Expected, FanOut, Role, Value as ConfigValue, assert_config, is_plain_secret,
};
pub use spate_runtime::config::{Config, PIPELINE_KEYS, SINK_KEYS};
pub use spate_runtime::connector::{SourceConnector, source_keys};
pub use spate_runtime::graph::{
    ChainNode, Graph, LookupNode, Policy, SinkNode, SourceNode, StageKind, StageNode,
};
pub use spate_runtime::id::{LookupId, Offset, SinkId, SourceId};
pub use spate_runtime::lookup::{Loaded, Loading, LookupReader};
pub use spate_runtime::pipeline::{Assembler, Definition};
pub use spate_runtime::sink::{SinkConnector, least_row, sink_keys};
pub use spate_runtime::version::{VERSION, assert_same_version};

/// What derived JSON decoders are made of.
#[cfg(feature = "json")]
pub use spate_json::scan as json;

/// The full parser that a record falls back to: what serde's derive makes.
#[diagnostic::on_unimplemented(
    message = "record `{Self}` has no full parser to fall back to [P067]",
    label = "does not derive `Deserialize`",
    note = "help: write `#[derive(Deserialize, Record)]`"
)]
pub trait FullParser<'de> {
    /// Asks for it.
    fn is_there() {}
}

#[diagnostic::do_not_recommend]
impl<'de, T: serde::Deserialize<'de>> FullParser<'de> for T {}
