//! The fused loop's half of the runtime: formats, rows, frames, ports, counters.

pub mod captured;
pub mod cx;
pub mod dead_letter;
pub mod decimal;
mod decode;
pub mod dedup;
pub(crate) mod fold;
pub mod format;
pub mod frame;
pub mod frame_buf;
pub mod int256;
pub mod lane_chain;
#[cfg(all(test, loom))]
mod loom;
#[cfg(all(test, not(loom)))]
mod model;
pub mod op;
pub mod operator;
pub mod pool;
pub mod port;
pub mod recent_keys;
pub mod record;
pub mod row;
pub mod shard_key;
pub mod skip_log;
pub mod tally;
pub mod time;
pub mod types;
pub mod value;
