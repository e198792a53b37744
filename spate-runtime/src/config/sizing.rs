//! Whether the settings of all parts fit together: budget, drain, commits. Pure.
//!
//! The sizing rule: what waits for linger must fit in the budget, or lanes stop for want of memory
//! while batches wait for rows. What waits is, at worst, one open frame per (lane, sink, shard) and
//! one batch per (sink, shard), or per (lane, sink, shard) where a sink's batches are keyed by
//! partition. The default of `batch_bytes` gives way to a small budget, down to one frame; a value
//! that was written is held against it.
//!
//! Source: `docs/guide`, rules P052, P053, P054.

use std::fmt::Write as _;
use std::time::Duration;

use super::check::PIPELINE_SECTION;
use super::error::{ConfigError, ConfigErrors};
use super::file::Config;
use super::settings::{PipelineSettings, SinkSettings};

/// What one sink makes wait.
#[derive(Clone, Copy, Debug)]
pub struct SinkLoad<'a> {
    /// The declared name.
    pub name: &'a str,
    /// How many shards it has, at least 1.
    pub shards: usize,
    /// Whether its batches are keyed by partition.
    pub by_partition: bool,
    /// Its settings.
    pub settings: &'a SinkSettings,
}

impl SinkLoad<'_> {
    fn frames(&self, lanes: usize) -> u64 {
        self.shards as u64 * lanes as u64
    }

    fn batches(&self, lanes: usize) -> u64 {
        self.shards as u64 * if self.by_partition { lanes as u64 } else { 1 }
    }
}

/// How the budget is used at worst while batches wait for linger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sizing {
    /// Shape `[sink]`: bytes at which its batches are sealed, given the budget.
    pub batch_bytes: Vec<u64>,
    /// Bytes that wait at worst.
    pub needed: u64,
}

impl Sizing {
    /// Fits the sinks' batches into a budget of `memory` bytes, with `lanes` lanes in all.
    ///
    /// # Errors
    ///
    /// P052, with the numbers: what was written does not fit.
    pub fn fit(
        config: &Config,
        memory: u64,
        lanes: usize,
        sinks: &[SinkLoad<'_>],
    ) -> Result<Self, ConfigError> {
        let lanes = lanes.max(1);
        let frame = |sink: &SinkLoad<'_>| sink.settings.frame_bytes as u64;
        let mut fixed: u64 = 0;
        let mut open_batches: u64 = 0;
        for sink in sinks {
            fixed = fixed.saturating_add(sink.frames(lanes).saturating_mul(frame(sink)));
            if sink.settings.batch_bytes_set {
                let batches = sink
                    .batches(lanes)
                    .saturating_mul(sink.settings.batch_bytes);
                fixed = fixed.saturating_add(batches);
            } else {
                open_batches += sink.batches(lanes);
            }
        }
        let share = memory.saturating_sub(fixed) / open_batches.max(1);
        let batch_bytes: Vec<_> = sinks
            .iter()
            .map(|sink| match sink.settings.batch_bytes {
                written if sink.settings.batch_bytes_set => written,
                default => default.min(share).max(frame(sink)),
            })
            .collect();
        let needed = sinks
            .iter()
            .zip(&batch_bytes)
            .fold(0_u64, |sum, (sink, bytes)| {
                sum.saturating_add(sink.frames(lanes).saturating_mul(frame(sink)))
                    .saturating_add(sink.batches(lanes).saturating_mul(*bytes))
            });
        if needed <= memory {
            return Ok(Self { batch_bytes, needed });
        }
        let mut text = format!(
            "{} wait for linger at worst, the budget is {}:",
            size_text(needed),
            size_text(memory)
        );
        for (index, (sink, bytes)) in sinks.iter().zip(&batch_bytes).enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let written = write!(
                text,
                "{comma} `{}` {} batches of {} and {} frames of {}",
                sink.name,
                sink.batches(lanes),
                size_text(*bytes),
                sink.frames(lanes),
                size_text(frame(sink))
            );
            debug_assert!(written.is_ok(), "a string takes all text");
        }
        let shards: usize = sinks.iter().map(|sink| sink.shards).sum();
        let help = format!(
            "{lanes} lanes and {shards} shards: set `pipeline.memory` to `{}`, or less to \
             `batch_bytes` and `frame_bytes` of these sinks",
            size_text(needed)
        );
        Err(config.error_in(PIPELINE_SECTION, "P052", text, help))
    }
}

/// P053: a drain must have the time for every sink's linger and its longest pause.
#[must_use]
pub fn check_drain(
    config: &Config,
    pipeline: &PipelineSettings,
    sinks: &[SinkLoad<'_>],
) -> ConfigErrors {
    let drain = pipeline.drain_timeout;
    let short = sinks.iter().filter_map(|sink| {
        let (linger, cap) = (sink.settings.linger, sink.settings.retry_cap);
        (drain < linger + cap).then(|| {
            let name = sink.name;
            let text = format!(
                "a drain of {drain:?} is too short for `{name}`: linger {linger:?}, retry {cap:?}"
            );
            let help = format!("set `pipeline.drain_timeout` to at least {:?}", linger + cap);
            config.error_in(PIPELINE_SECTION, "P053", text, help)
        })
    });
    ConfigErrors(short.collect())
}

/// P054: watermarks are committed at least twice in a session, or a member that lives looks dead.
#[must_use]
pub fn check_commit_interval(
    config: &Config,
    pipeline: &PipelineSettings,
    session: Duration,
) -> ConfigErrors {
    let interval = pipeline.commit_interval;
    if interval <= session / 2 {
        return ConfigErrors::default();
    }
    let text = format!("a commit interval of {interval:?} is too long for sessions of {session:?}");
    let help = format!("set `pipeline.commit_interval` to at most {:?}", session / 2);
    config.error_in(PIPELINE_SECTION, "P054", text, help).into()
}

/// Bytes for people and for the file, rounded up to a whole number of a unit: `16MiB`, `1537KiB`.
fn size_text(bytes: u64) -> String {
    const UNITS: [(&str, u64); 4] =
        [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];
    let exact = UNITS
        .iter()
        .find(|(_, unit)| bytes >= *unit && bytes.is_multiple_of(*unit));
    let near = UNITS.iter().find(|(_, unit)| bytes / unit >= 100);
    let (name, unit) = match (exact, near) {
        (Some(exact), Some(near)) if exact.1 < near.1 => near,
        (Some(exact), _) => exact,
        _ => &UNITS[3],
    };
    format!("{}{name}", bytes.div_ceil(*unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SINK_KEYS;

    fn settings(text: &str) -> SinkSettings {
        let text = format!("lines: {{{text}}}");
        let config = Config::parse("p.yaml", &text, &|_| None).unwrap();
        let section = config.section("lines", &[SINK_KEYS]).unwrap();
        SinkSettings::from_section(&section).unwrap()
    }

    fn load<'a>(settings: &'a SinkSettings, shards: usize) -> SinkLoad<'a> {
        SinkLoad { name: "lines", shards, by_partition: true, settings }
    }

    const BUDGET: u64 = 256 << 20;

    #[test]
    fn the_defaults_satisfy_the_sizing_rule_for_whatever_number_of_cores() {
        let settings = settings("");
        for lanes in [1, 2, 8, 64, 150] {
            let sinks = [load(&settings, 1), load(&settings, 1), load(&settings, 1)];
            let sizing = Sizing::fit(&Config::empty(), BUDGET, lanes, &sinks).unwrap();
            assert!(sizing.needed <= BUDGET, "{lanes} lanes: {sizing:?}");
        }
        let sizing = Sizing::fit(&Config::empty(), BUDGET, 2, &[load(&settings, 1)]).unwrap();
        assert_eq!(sizing.batch_bytes, [16 << 20]);
        assert_eq!(sizing.needed, 2 * (16 << 20) + 2 * (256 << 10));
    }

    #[test]
    fn a_batch_that_was_written_is_held_against_the_budget_with_the_numbers() {
        let settings = settings("batch_bytes: 64MiB");
        let error = Sizing::fit(&Config::empty(), BUDGET, 8, &[load(&settings, 1)]).unwrap_err();
        assert_eq!(error.code, "P052");
        assert_eq!(
            error.text,
            "514MiB wait for linger at worst, the budget is 256MiB: \
             `lines` 8 batches of 64MiB and 8 frames of 256KiB"
        );
        assert!(error.help.contains("8 lanes and 1 shards"), "{error:?}");
        assert!(error.help.contains("`514MiB`"), "{error:?}");
        let shared = SinkLoad { by_partition: false, ..load(&settings, 1) };
        assert!(Sizing::fit(&Config::empty(), BUDGET, 8, &[shared]).is_ok());
    }

    #[test]
    fn the_memory_that_the_help_names_is_enough() {
        let settings = settings("batch_bytes: 5MiB, frame_bytes: 5KiB");
        let sinks = [load(&settings, 3)];
        let error = Sizing::fit(&Config::empty(), 1 << 20, 7, &sinks).unwrap_err();
        let named = error.help.split('`').nth(3).unwrap();
        let memory = crate::config::scalar::bytes(named).unwrap();
        assert!(Sizing::fit(&Config::empty(), memory, 7, &sinks).is_ok(), "{error:?}");
    }

    #[test]
    fn a_drain_shorter_than_linger_and_retry_is_refused() {
        let settings = settings("linger: 25s");
        let pipeline = PipelineSettings::from_config(&Config::empty()).unwrap();
        let errors = check_drain(&Config::empty(), &pipeline, &[load(&settings, 1)]);
        assert_eq!(errors.0[0].code, "P053");
        assert!(errors.0[0].help.contains("35s"), "{errors}");
        let fits = SinkSettings { linger: Duration::from_secs(20), ..settings };
        assert!(check_drain(&Config::empty(), &pipeline, &[load(&fits, 1)]).is_empty());
    }

    #[test]
    fn commits_come_at_least_twice_in_a_session() {
        let pipeline = PipelineSettings::from_config(&Config::empty()).unwrap();
        let check = |session| check_commit_interval(&Config::empty(), &pipeline, session);
        assert!(check(Duration::from_secs(2)).is_empty());
        assert_eq!(check(Duration::from_millis(1999)).0[0].code, "P054");
    }
}
