//! P035: replays give the same rows.
//!
//! After a crash the same payloads are read again, and rows that were written already are known by
//! being the same. The clock, random numbers and the process's own identity make them differ. What
//! an `inspect` looks at makes no rows, so it may look at the clock.

use super::scan::{self, Call, Into};
use crate::model::{Kind, Pipeline};
use crate::report::{Report, Rule};

const REPLAY: Rule = Rule { code: "P035", help: "" };

const CLOCK: &str = "take the time from `Meta::timestamp_ms`";
const RANDOM: &str = "derive it from the record, such as a hash of its key";
const PROCESS: &str = "take it from the configuration";
const PATHS: [(&str, &str); 33] = [
    ("std::time::SystemTime::now", CLOCK),
    ("std::time::Instant::now", CLOCK),
    ("chrono::Utc::now", CLOCK),
    ("chrono::Local::now", CLOCK),
    ("chrono::offset::Utc::now", CLOCK),
    ("chrono::offset::Local::now", CLOCK),
    ("time::OffsetDateTime::now_utc", CLOCK),
    ("time::OffsetDateTime::now_local", CLOCK),
    ("time::UtcDateTime::now", CLOCK),
    ("jiff::Timestamp::now", CLOCK),
    ("jiff::Zoned::now", CLOCK),
    ("tokio::time::Instant::now", CLOCK),
    ("rand::random", RANDOM),
    ("rand::random_bool", RANDOM),
    ("rand::random_range", RANDOM),
    ("rand::random_iter", RANDOM),
    ("rand::rng", RANDOM),
    ("rand::thread_rng", RANDOM),
    ("rand::rngs::OsRng", RANDOM),
    ("rand::rngs::StdRng::from_os_rng", RANDOM),
    ("rand::rngs::StdRng::from_entropy", RANDOM),
    ("rand::rngs::SmallRng::from_os_rng", RANDOM),
    ("rand::rngs::SmallRng::from_entropy", RANDOM),
    ("getrandom::fill", RANDOM),
    ("getrandom::getrandom", RANDOM),
    ("fastrand::Rng::new", RANDOM),
    ("uuid::Uuid::new_v4", RANDOM),
    ("uuid::Uuid::now_v7", RANDOM),
    ("ulid::Ulid::new", RANDOM),
    ("std::hash::RandomState::new", RANDOM),
    ("std::collections::hash_map::RandomState::new", RANDOM),
    ("std::process::id", PROCESS),
    ("std::thread::current", PROCESS),
];
/// Functions of `fastrand`, which has one per type.
const FASTRAND: [&str; 18] = [
    "bool",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "char",
    "alphanumeric",
    "shuffle",
];

/// Reports each call whose answer differs on a replay, at its name.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    let scope = &pipeline.scope;
    for operator in scan::operators(pipeline) {
        let makes_rows = operator
            .kinds
            .iter()
            .any(|kind| *kind != Some(Kind::Inspect));
        if operator.allow.nondeterministic || !makes_rows {
            continue;
        }
        operator.each(scope, report, |call, report| {
            let Call::Path { last, path } = call else { return Into::Arguments };
            let fastrand = || {
                FASTRAND
                    .iter()
                    .any(|name| path.is(&format!("fastrand::{name}")))
                    .then_some(RANDOM)
            };
            // A glob of `rand` brings this name, and nothing else is called so.
            let by_name =
                || (*last == "thread_rng" && !scope.has_function("thread_rng")).then_some(RANDOM);
            let known = PATHS
                .iter()
                .find(|(known, _)| path.is(known))
                .map(|&(_, help)| help);
            let Some(help) = known.or_else(fastrand).or_else(by_name) else {
                return Into::Arguments;
            };
            report.push_with(
                last.span(),
                &REPLAY,
                format!(
                    "`{}` makes a replay differ, so its rows are not deduplicated",
                    path.short()
                ),
                format!("{help}, or {}", operator.hatch("nondeterministic")),
            );
            Into::Arguments
        });
    }
}
