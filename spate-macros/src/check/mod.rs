//! The table of rules, in order.
//!
//! Pure. A rule is one file: `check(pipeline, report)` looks at the model and reports, and none
//! sees what another found, except that P011 stays silent after findings in the graph: what
//! receives nothing usually does so because of one of them.
//!
//! The rules over the configuration (P018, P019, P045, P050 to P054, P056 to P059, P061, P062) stand
//! in the runtime, `config/check.rs` and `config/fit.rs`: the start holds them, too.

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
pub(crate) mod p048_table;
mod p050_zero;
pub(crate) mod p056_unit;
pub(crate) mod p060_feature;
mod p064_cfg;
mod p065_inline;
mod p066_misplaced;
mod p067_record_shape;
mod scan;
mod signature;

use crate::model::Pipeline;
use crate::report::Report;

pub(crate) use p005_unknown_stage::P005;
pub(crate) use p006_unknown_operator::P006;
pub(crate) use p021_idle_policy::P021;
pub(crate) use p024_question_mark::P024;
pub(crate) use p031_await::P031;
pub(crate) use p065_inline::P065;
pub(crate) use p066_misplaced::P066;
pub(crate) use p067_record_shape::P067;

type Check = fn(&Pipeline, &mut Report);

/// The graph: paths, names, streams.
const GRAPH: [Check; 10] = [
    p001_open_path::check,
    p002_unknown_sink::check,
    p003_unknown_stream::check,
    p004_after_end::check,
    p005_unknown_stage::check,
    p008_one_chain_per_source::check,
    p009_unconsumed_stream::check,
    p010_stream_used_twice::check,
    p013_arm_without_end::check,
    p066_misplaced::check,
];

/// Everything that is read off a declaration, a stage or a signature.
const PARTS: [Check; 30] = [
    p006_unknown_operator::check,
    p007_contract::check,
    p014_wildcard::check,
    p015_label_twice::check,
    p016_reserved_name::check,
    p017_label::check,
    p020_no_policy::check,
    p021_idle_policy::check,
    p022_result_in_map::check,
    p023_option_in_map::check,
    p027_panic::check,
    p030_async_operator::check,
    p031_await::check,
    p032_blocking::check,
    p033_allocation::check,
    p034_vec_per_record::check,
    p035_replay::check,
    p036_filter_touches::check,
    p037_record_fits::check,
    p038_filter_answer::check,
    p039_borrowed_state::check,
    p040_borrowing_state::check,
    p041_not_send::check,
    p042_shared_state::check,
    p043_dedup_key::check,
    p044_state_of_one_chain::check,
    p050_zero::check,
    p060_feature::check,
    p064_cfg::check,
    p066_misplaced::idle_fan_out,
];

/// Holds `pipeline` against every rule.
pub(crate) fn check(pipeline: &Pipeline, report: &mut Report) {
    let clean = !report.has_errors();
    for rule in GRAPH {
        rule(pipeline, report);
    }
    if clean && !report.has_errors() {
        p011_unused::check(pipeline, report);
    }
    for rule in PARTS {
        rule(pipeline, report);
    }
}
