//! The settings every pipeline and every sink has, beside those of the connectors.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::time::Duration;

use super::check::PIPELINE_SECTION;
use super::error::ConfigErrors;
use super::file::Config;
use super::schema::{Key, Type};
use super::section::Section;
use crate::chain::port::Route;

const COUNT: Type = Type::Integer { min: 1, max: u32::MAX as u64 };

/// The keys of the section `pipeline:`.
pub const PIPELINE_KEYS: &[Key] = &[
    Key::new(
        "threads",
        Type::Either(&Type::Choice(&["auto"]), &Type::Integer { min: 1, max: 1024 }),
        "lane threads; `auto`: as many as the process may use cores",
    )
    .or("auto")
    .range_rule("P057"),
    Key::new(
        "pin",
        Type::Either(
            &Type::Choice(&["auto", "off"]),
            &Type::List(&Type::Integer { min: 0, max: 65_535 }),
        ),
        "cores for the lane threads: `auto`, `off` or a list of core numbers",
    )
    .or("auto"),
    Key::new("memory", Type::Size, "the budget for everything in flight")
        .or("256MiB")
        .at_least("1MiB"),
    Key::new("commit_interval", Type::Duration, "how often watermarks are committed")
        .or("1s")
        .at_least("1ms")
        .range_rule("P054"),
    Key::new("drain_timeout", Type::Duration, "how long a drain may take before exit 3").or("30s"),
    Key::new("revoke_timeout", Type::Duration, "how long revoked lanes may flush").or("10s"),
    Key::new("stall_after", Type::Duration, "when a lane without progress is reported")
        .or("60s")
        .at_least("1ms"),
    Key::new("pause_after", Type::Duration, "when pressure pauses a partition at its source")
        .or("10s")
        .at_least("1ms"),
    Key::new("admin", Type::Text, "address of `/metrics`, `/healthz`, `/readyz`, or `off`")
        .or("127.0.0.1:9464"),
    Key::new("log", Type::Choice(&["text", "json"]), "how log lines are written").or("text"),
];

/// The keys that every sink's section has beside its connector's.
pub const SINK_KEYS: &[Key] = &[
    Key::new("linger", Type::Duration, "how old a row may grow before its batch is sealed")
        .or("1s")
        .at_least("1ms"),
    Key::new("batch_rows", COUNT, "rows at which a batch is sealed")
        .or("500_000")
        .range_rule("P050"),
    Key::new("batch_bytes", Type::Size, "bytes at which a batch is sealed, before compression")
        .or("16MiB")
        .at_least("4KiB"),
    Key::new("frame_bytes", Type::Size, "bytes at which a lane hands its rows over")
        .or("256KiB")
        .at_least("4KiB"),
    Key::new("queue_frames", COUNT, "frames a shard's queue holds")
        .or("64")
        .range_rule("P050"),
    Key::new("max_inflight", COUNT, "writes at once per shard and partition")
        .or("1")
        .range_rule("P050"),
    Key::new("retry_base", Type::Duration, "the first pause before a write is tried again")
        .or("100ms")
        .at_least("1ms"),
    Key::new("retry_cap", Type::Duration, "the longest pause before a write is tried again")
        .or("10s")
        .at_least("1ms"),
    Key::new("route", Type::Choice(&["key", "round_robin"]), "how rows find their shard").or("key"),
];

/// Which cores lane threads run on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pin {
    /// One allowed core each.
    Auto,
    /// Wherever the system puts them.
    Off,
    /// These cores, in order; begins again at the first where there are more threads.
    Cores(Vec<usize>),
}

/// How log lines are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// The section `pipeline:`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PipelineSettings {
    /// Lane threads, at least 1.
    pub threads: usize,
    /// Which cores they run on.
    pub pin: Pin,
    /// Bytes that may be in flight, by capacity.
    pub memory: u64,
    /// How often watermarks are committed.
    pub commit_interval: Duration,
    /// How long a drain may take.
    pub drain_timeout: Duration,
    /// How long revoked lanes may flush.
    pub revoke_timeout: Duration,
    /// When a lane without progress is reported.
    pub stall_after: Duration,
    /// When lasting pressure pauses a partition at its source.
    pub pause_after: Duration,
    /// Where the admin server listens; `None` is off, port 0 is any.
    pub admin: Option<SocketAddr>,
    /// How log lines are written.
    pub log: LogFormat,
}

impl PipelineSettings {
    /// Reads the section `pipeline:`, which may be missing.
    ///
    /// # Errors
    ///
    /// Everything that is wrong in it.
    pub fn from_config(config: &Config) -> Result<Self, ConfigErrors> {
        let section = config.section(PIPELINE_SECTION, &[PIPELINE_KEYS])?;
        Ok(Self {
            threads: threads(section.integer_opt("threads")),
            pin: pin(&section),
            memory: section.size("memory"),
            commit_interval: section.duration("commit_interval"),
            drain_timeout: section.duration("drain_timeout"),
            revoke_timeout: section.duration("revoke_timeout"),
            stall_after: section.duration("stall_after"),
            pause_after: section.duration("pause_after"),
            admin: admin(&section)?,
            log: if section.text("log") == "json" { LogFormat::Json } else { LogFormat::Text },
        })
    }
}

/// What a sink's section says beside its connector's keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SinkSettings {
    /// How old a row may grow before its batch is sealed.
    pub linger: Duration,
    /// Rows at which a batch is sealed.
    pub batch_rows: u64,
    /// Bytes at which a batch is sealed, before compression.
    pub batch_bytes: u64,
    /// Bytes at which a lane hands its rows over.
    pub frame_bytes: usize,
    /// Frames a shard's queue holds.
    pub queue_frames: usize,
    /// Writes at once per shard and partition.
    pub max_inflight: usize,
    /// The first pause before a write is tried again.
    pub retry_base: Duration,
    /// The longest pause before a write is tried again.
    pub retry_cap: Duration,
    /// How rows find their shard.
    pub route: Route,
}

impl SinkSettings {
    /// Reads the keys of [`SINK_KEYS`]; whether they go together is the business of `fit.rs`.
    #[must_use]
    pub fn from_section(section: &Section<'_>) -> Self {
        Self {
            linger: section.duration("linger"),
            batch_rows: section.integer("batch_rows"),
            batch_bytes: section.size("batch_bytes"),
            frame_bytes: to_usize(section.size("frame_bytes")),
            queue_frames: to_usize(section.integer("queue_frames")),
            max_inflight: to_usize(section.integer("max_inflight")),
            retry_base: section.duration("retry_base"),
            retry_cap: section.duration("retry_cap"),
            route: match section.text("route") {
                "round_robin" => Route::RoundRobin,
                _ => Route::Key,
            },
        }
    }
}

/// The allowed set and the quota count, not the machine (R138): both are behind the standard call.
fn threads(written: Option<u64>) -> usize {
    match written {
        Some(threads) => to_usize(threads),
        None => available_parallelism().map_or(1, NonZeroUsize::get),
    }
}

fn pin(section: &Section<'_>) -> Pin {
    match section.text_opt("pin") {
        Some("auto") => Pin::Auto,
        Some("off") => Pin::Off,
        _ => Pin::Cores(section.integers("pin").into_iter().map(to_usize).collect()),
    }
}

fn admin(section: &Section<'_>) -> Result<Option<SocketAddr>, ConfigErrors> {
    let address = section.text("admin");
    if address == "off" {
        return Ok(None);
    }
    address.parse().map(Some).map_err(|cause| {
        let text = format!("`pipeline.admin` is `{address}`: {cause}");
        section.error("admin", "P059", text, "write `127.0.0.1:9464`, or `off`")
    })
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Config {
        Config::parse("p.yaml", text, &|_| None).unwrap()
    }

    fn pipeline(text: &str) -> Result<PipelineSettings, ConfigErrors> {
        PipelineSettings::from_config(&parse(text))
    }

    fn sink(text: &str) -> Result<SinkSettings, ConfigErrors> {
        let config = parse(text);
        let section = config.section("lines", &[SINK_KEYS])?;
        Ok(SinkSettings::from_section(&section))
    }

    #[test]
    fn a_pipeline_without_a_section_has_the_documented_defaults() {
        let settings = pipeline("").unwrap();
        assert_eq!(settings.threads, available_parallelism().unwrap().get());
        assert_eq!(settings.pin, Pin::Auto);
        assert_eq!(settings.memory, 256 << 20);
        assert_eq!(settings.commit_interval, Duration::from_secs(1));
        assert_eq!(settings.drain_timeout, Duration::from_secs(30));
        assert_eq!(settings.admin, Some("127.0.0.1:9464".parse().unwrap()));
        assert_eq!(settings.log, LogFormat::Text);
    }

    #[test]
    fn a_pipeline_takes_what_is_written() {
        let text = "pipeline:\n  threads: 3\n  pin: [2, 3]\n  admin: off\n  log: json\n";
        let settings = pipeline(text).unwrap();
        assert_eq!(settings.threads, 3);
        assert_eq!(settings.pin, Pin::Cores(vec![2, 3]));
        assert_eq!(settings.admin, None);
        assert_eq!(settings.log, LogFormat::Json);
        assert_eq!(pipeline("pipeline: {pin: 1}").unwrap().pin, Pin::Cores(vec![1]));
        assert_eq!(pipeline("pipeline: {pin: off}").unwrap().pin, Pin::Off);
    }

    #[test]
    fn capacities_that_are_zero_are_refused() {
        for (text, code) in [
            ("pipeline: {commit_interval: 0s}", "P054"),
            ("pipeline: {memory: 0B}", "P050"),
            ("pipeline: {threads: 0}", "P057"),
            ("pipeline: {threads: many}", "P059"),
        ] {
            assert_eq!(pipeline(text).unwrap_err().0[0].code, code, "{text}");
        }
        for text in ["queue_frames: 0", "batch_rows: 0", "max_inflight: 0", "linger: 0ms"] {
            let errors = sink(&format!("lines: {{{text}}}")).unwrap_err();
            assert_eq!(errors.0[0].code, "P050", "{text}");
        }
    }

    #[test]
    fn an_admin_address_that_is_none_says_what_to_write() {
        let errors = pipeline("pipeline:\n  admin: localhost\n").unwrap_err();
        assert_eq!(errors.0[0].at, "p.yaml:2:10");
        assert!(errors.0[0].help.contains("`off`"), "{errors}");
    }

    #[test]
    fn a_sink_without_a_section_has_the_documented_defaults() {
        let settings = sink("").unwrap();
        assert_eq!(settings.linger, Duration::from_secs(1));
        assert_eq!(settings.batch_rows, 500_000);
        assert_eq!(settings.batch_bytes, 16 << 20);
        assert_eq!(settings.frame_bytes, 256 << 10);
        assert_eq!(settings.queue_frames, 64);
        assert_eq!(settings.max_inflight, 1);
        assert_eq!(settings.retry_base, Duration::from_millis(100));
        assert_eq!(settings.retry_cap, Duration::from_secs(10));
        assert_eq!(settings.route, Route::Key);
    }
}
