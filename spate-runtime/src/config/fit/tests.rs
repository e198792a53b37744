//! Tests of `config/fit.rs`: cases as data.

use super::*;
use crate::config::check::PIPELINE_SECTION;
use crate::config::{Config, PIPELINE_KEYS, SINK_KEYS, Type};

const SESSION: Key = Key::new("session_timeout", Type::Duration, "").or("45s");
const FEED: &[Key] = &[
    Key::new("topic", Type::List(&Type::Text), "").means(Means::Place("topic")),
    Key::new("brokers", Type::List(&Type::Text), "").means(Means::Where),
    Key::new("paths", Type::List(&Type::Text), ""),
    SESSION.means(Means::SessionTimeout),
];
const TABLE: &[Key] = &[
    Key::new("topic", Type::Text, "").means(Means::Place("topic")),
    Key::new("brokers", Type::List(&Type::Text), "").means(Means::Where),
    Key::new("shards", Type::List(&Type::List(&Type::Text)), "")
        .means(Means::Shards { by_partition: true }),
];

const fn sink(name: &'static str, keyed: bool, takes_rejects: bool) -> Expected<'static> {
    let role = Role::Sink { keyed, takes_rejects, layout: None, fan_out: None };
    Expected { name, keys: &[TABLE, SINK_KEYS], role }
}

const SECTIONS: &[Expected<'_>] = &[
    Expected { name: "events", keys: &[FEED], role: Role::Source { session: None } },
    sink("lines", true, false),
    sink("loose", false, false),
    sink("rejects", false, true),
    Expected {
        name: PIPELINE_SECTION,
        keys: &[PIPELINE_KEYS],
        role: Role::Pipeline { threads: None },
    },
];

/// What is wrong, one finding a line, without help.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let config = Config::parse("f", text, &|_| None).unwrap();
    let errors = config.check(SECTIONS, Purpose::Declared);
    let lines: Vec<String> = errors
        .0
        .iter()
        .map(|error| format!("{}: {} [{}]", error.at, error.text, error.code))
        .collect();
    assert_eq!(lines, expected, "{text}");
}

#[test]
fn defaults_go_together() {
    check("", &[]);
    check("events: {topic: a}\nlines: {shards: [[x], [y, z]]}\n", &[]);
}

#[test]
fn p018_a_sink_does_not_write_what_a_source_reads() {
    let says = "f:2:16: sink `lines` writes to the topic that `events` reads: `a` [P018]";
    check("events: {topic: [b, a]}\nlines: {topic: a}\n", &[says]);
    for other in [
        "events: {topic: b}\nlines: {topic: a}\n",
        "events: {topic: a, brokers: x}\nlines: {topic: a, brokers: y}\n",
        "events: {topic: a, brokers: x}\nlines: {topic: a}\n",
    ] {
        check(other, &[]);
    }
    let says = "f:2:16: sink `lines` writes to the topic that `events` reads: `a` [P018]";
    check("events: {topic: a, brokers: [x, y]}\nlines: {topic: a, brokers: [x, y]}\n", &[says]);
}

#[test]
fn a_place_is_met_by_itself_and_by_patterns_right_in_it() {
    for (text, place, meets) in [
        ("out", "out", true),
        ("out/", "out", true),
        ("out", "out/", true),
        ("out/*.ndjson", "out", true),
        ("out/part-?", "out/", true),
        ("out/one.ndjson", "out", false),
        ("out/deep/*.ndjson", "out", false),
        ("output", "out", false),
        ("output/*", "out", false),
        ("ou", "out", false),
        ("", "out", false),
    ] {
        assert_eq!(is_within(text, place), meets, "{text} in {place}");
    }
}

#[test]
fn p019_dead_letters_have_a_place_of_their_own() {
    let says = "f:2:18: dead letters of `rejects` go to the topic that `lines` writes: `a` [P019]";
    check("lines: {topic: a}\nrejects: {topic: a}\n", &[says]);
    // Two sinks of rows may share one.
    check("lines: {topic: a}\nloose: {topic: a}\n", &[]);
}

#[test]
fn p045_several_shards_need_a_key_or_another_route() {
    let says = "f:1:9: sink `loose` has 2 shards but no `key` [P045]";
    check("loose: {shards: [a, b]}\n", &[says]);
    check("loose: {shards: [a, b], route: round_robin}\n", &[]);
    check("loose: {shards: [[a, b]]}\n", &[]);
    check("lines: {shards: [a, b]}\n", &[]);
}

#[test]
fn p051_and_p053_what_contradicts_itself_within_a_sink() {
    check(
        "lines:\n  batch_bytes: 4KiB\n  retry_cap: 1ms\n",
        &[
            "f:2:16: a batch of `lines` (4KiB) does not hold one frame (256KiB) [P051]",
            "f:3:14: the longest pause of `lines` is below the first one [P053]",
        ],
    );
    check(
        "lines:\n  frame_bytes: 32MiB\n",
        &["f:2:16: a batch of `lines` (16MiB) does not hold one frame (32MiB) [P051]"],
    );
}

#[test]
fn p057_what_one_record_may_make_is_held_against_the_budget_with_the_numbers() {
    let check = |text: &str, ways: &[&[usize]], expected: &[&str]| {
        let mut sections = SECTIONS.to_vec();
        for section in sections
            .iter_mut()
            .filter(|section| section.name == "lines")
        {
            if let Role::Sink { fan_out, .. } = &mut section.role {
                *fan_out = Some(FanOut::of(ways, 16));
            }
        }
        let config = Config::parse("f", text, &|_| None).unwrap();
        let errors = config.check(&sections, Purpose::Declared);
        let said: Vec<String> = errors
            .0
            .iter()
            .map(|error| format!("{}: {} [{}]\n{}", error.at, error.text, error.code, error.help))
            .collect();
        assert_eq!(said, expected, "{text}");
    };
    let says = |at: &str, rows: u64, needs: &str, budget: &str| {
        format!(
            "f:{at}: one record may make {rows} rows of `lines`, at least {needs}, the budget is \
             {budget} [P057]\na row is at least 16B: write a smaller `fan_out` in the module, or \
             set `pipeline.memory` to `{needs}`"
        )
    };
    let (fits, over) = (1 << 24, (1 << 24) + 1);
    check("", &[&[fits]], &[]);
    check("", &[], &[]);
    check("", &[&[over]], &[&says("1:1", over as u64, "257MiB", "256MiB")]);
    check("lines: {linger: 1s}", &[&[over]], &[&says("1:1", over as u64, "257MiB", "256MiB")]);
    check("pipeline: {memory: 257MiB}", &[&[over]], &[]);
    // Along a way they multiply; of several ways the widest counts.
    let ways: &[&[usize]] = &[&[64, 1 << 15], &[1 << 12, 1 << 11, 4], &[9]];
    check("pipeline: {memory: 512MiB}", ways, &[]);
    let says = says("1:20", 1 << 25, "512MiB", "511MiB");
    check("pipeline: {memory: 511MiB}", ways, &[&says]);
    check(
        "pipeline: {memory: 1GiB}",
        &[&[usize::MAX, 2]],
        &[&{
            format!(
                "f:1:20: one record may make {} rows of `lines`, at least 17179869184GiB, the budget \
             is 1GiB [P057]\na row is at least 16B: write a smaller `fan_out` in the module, or \
             set `pipeline.memory` to `17179869184GiB`",
                u64::MAX
            )
        }],
    );
}

#[test]
fn p058_each_shard_has_replicas_of_its_own() {
    check("lines: {shards: [[a], []]}\n", &["f:1:23: shard 2 of `lines` has no replica [P058]"]);
    check("lines: {shards: []}\n", &["f:1:9: shard 1 of `lines` has no replica [P058]"]);
    let says = "f:1:28: `lines` names a replica twice: `b` [P058]";
    check("lines: {shards: [[a, b], [c, b]]}\n", &[&says.replace("1:28", "1:30")]);
}

#[test]
fn p058_nothing_takes_a_weight() {
    for text in [
        "lines: {shards: [[a], [b]], weights: [1, 2]}\n",
        "lines: {shards: [[a], [b]], weight: 2}\n",
        "lines: {shards: [{replicas: [a], weight: 2}, [b]]}\n",
        "pipeline: {weights: {lines: 2}}\n",
    ] {
        let config = Config::parse("f", text, &|_| None).unwrap();
        let errors = config.check(SECTIONS, Purpose::Declared).0;
        assert!(errors.iter().all(|error| error.code == "P059"), "{text}{errors:?}");
        assert_eq!(errors.len(), 1, "{text}{errors:?}");
    }
}

#[test]
fn p052_a_batch_that_was_written_is_held_against_the_budget_with_the_numbers() {
    check(
        "lines:\n  batch_bytes: 64MiB\n",
        &["f:2:16: 522MiB wait for linger at worst, the budget is 256MiB: \
             `lines` 8 batches of 64MiB and 8 frames of 256KiB [P052]"],
    );
    let config = Config::parse("f", "lines: {batch_bytes: 64MiB}\n", &|_| None).unwrap();
    let help = &config.check(SECTIONS, Purpose::Declared).0[0].help;
    assert!(help.starts_with("8 lanes and 3 shards: set `pipeline.memory` to `"), "{help}");
    let memory = help.split('`').nth(3).unwrap();
    check(&format!("lines: {{batch_bytes: 64MiB}}\npipeline: {{memory: {memory}}}\n"), &[]);
}

#[test]
fn the_defaults_satisfy_the_sizing_rule_for_whatever_number_of_cores() {
    for threads in [1, 2, 8, 64, 150] {
        let mut sections = SECTIONS.to_vec();
        for section in &mut sections {
            match &mut section.role {
                Role::Pipeline { threads: known } => *known = Some(threads),
                Role::Sink { layout, .. } => *layout = Some((1, true)),
                _ => {}
            }
        }
        let config = Config::empty();
        let fitted = config.fit(&sections, Purpose::Declared, 256 << 20);
        let lanes = threads.max(LANES_ASSUMED);
        let (fitted, frame) = (fitted.unwrap(), 256 << 10);
        let batches: u64 = fitted.iter().map(|batch| lanes * batch).sum();
        let frames = fitted.len() as u64 * lanes * frame;
        assert!(batches + frames <= 256 << 20, "{threads} threads: {batches} and {frames}");
        // As much again may be on its way to the sinks, until batches cannot be smaller.
        let smallest = fitted.iter().all(|&batch| batch == frame);
        assert!(2 * batches + frames <= 256 << 20 || smallest, "{threads} threads: {batches}");
    }
}

#[test]
fn p053_a_drain_shorter_than_linger_and_retry_is_refused() {
    let says = "f:2:11: a drain of 30s is too short for `lines`: linger 25s, retry 10s [P053]";
    check("lines:\n  linger: 25s\n", &[says]);
    check("lines:\n  linger: 20s\n", &[]);
    check("lines:\n  linger: 25s\npipeline:\n  drain_timeout: 35s\n", &[]);
}

#[test]
fn p054_commits_come_at_least_twice_in_a_session() {
    let says = "f:1:28: a commit interval of 1s is too long for sessions of 1999ms [P054]";
    check("events: {session_timeout: 1999ms}\n", &[&says.replace("1:28", "1:27")]);
    check("events: {session_timeout: 2s}\n", &[]);
    check(
        "pipeline: {commit_interval: 23s}\n",
        &["f:1:29: a commit interval of 23s is too long for sessions of 45s [P054]"],
    );
}

#[test]
fn what_only_the_start_knows_is_passed_over_by_a_build() {
    const ENTRIES: &[Entry<'_>] = &[entry(0, "loose", Value::Map), entry(1, "shards", LATER)];
    const LATER: Value<'_> = Value::Later;
    const fn entry(depth: usize, key: &'static str, value: Value<'static>) -> Entry<'static> {
        let (line, col) = (1, 1);
        Entry {
            depth,
            key,
            value,
            shown: "",
            line,
            col,
            value_line: line,
            value_col: col,
            twin: None,
        }
    }
    let faults = super::super::check::check(SECTIONS, ENTRIES, Purpose::Declared, 0);
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn rows_that_go_to_files_need_no_key_and_meet_nobody() {
    let text = "events: {topic: a}\nlines: {topic: a}\nloose: {shards: [a, b]}\n";
    let config = Config::parse("f", text, &|_| None).unwrap();
    assert_eq!(config.check(SECTIONS, Purpose::Declared).0.len(), 2);
    assert!(config.check(SECTIONS, Purpose::ToFiles).is_empty());
}
