//! The table of rules, in order.
//!
//! Pure. A rule is one file: `check(pipeline, report)` looks at the model and reports, and none
//! sees what another found, except that P011 stays silent after findings in the graph: what
//! receives nothing usually does so because of one of them.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable
)]

mod p001_open_path;
mod p002_unknown_sink;
mod p003_unknown_stream;
mod p004_after_end;
pub(crate) mod p005_unknown_stage;
mod p006_unknown_operator;
pub(crate) mod p007_contract;
mod p008_one_chain_per_source;
mod p009_unconsumed_stream;
mod p010_stream_used_twice;
mod p011_unused;
mod p013_arm_without_end;
mod p014_wildcard;
mod p015_label_twice;
mod p016_reserved_name;
mod p017_label;
mod p020_no_policy;
mod p021_idle_policy;
mod p022_result_in_map;
mod p023_option_in_map;
mod p024_question_mark;
mod p027_panic;
mod p030_async_operator;
mod p031_await;
mod p032_blocking;
mod p033_allocation;
mod p034_vec_per_record;
mod p035_replay;
mod p036_filter_touches;
mod p037_record_fits;
mod p038_filter_answer;
mod p039_borrowed_state;
mod p040_borrowing_state;
mod p041_not_send;
mod p042_shared_state;
mod p043_dedup_key;
mod p044_state_of_one_chain;
mod p045_keyed_sink;
pub(crate) mod p048_table;
mod p050_zero;
pub(crate) mod p056_unit;
pub(crate) mod p060_feature;
mod p064_cfg;
mod p065_inline;
mod p066_misplaced;
mod p067_record_shape;
