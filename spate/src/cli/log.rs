//! Log lines: text or JSON, to standard error, with levels from `SPATE_LOG` or `RUST_LOG`.

use spate_runtime::config::LogFormat;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{fmt, registry};

use super::terminal::{self, LogWriter};

/// Sets the process's log up; leaves one that the application has set as it is.
pub(crate) fn init(format: LogFormat) {
    let (levels, wrong) = levels(&|variable| std::env::var(variable).ok());
    let set = match format {
        LogFormat::Text => {
            let colours = terminal::is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let lines = fmt::layer().with_writer(LogWriter).with_ansi(colours);
            registry().with(lines.with_filter(levels)).try_init()
        }
        LogFormat::Json => {
            let lines = fmt::layer()
                .json()
                .flatten_event(true)
                .with_writer(LogWriter);
            registry().with(lines.with_filter(levels)).try_init()
        }
    };
    if let (Ok(()), Some(wrong)) = (set, wrong) {
        tracing::warn!("{wrong} is no list of levels such as `info` or `warn,spate=debug`");
    }
}

/// The levels, and the variable that cannot be read as such.
fn levels(env: &dyn Fn(&str) -> Option<String>) -> (Targets, Option<&'static str>) {
    let default = || Targets::new().with_default(tracing::Level::INFO);
    for variable in ["SPATE_LOG", "RUST_LOG"] {
        if let Some(text) = env(variable).filter(|text| !text.trim().is_empty()) {
            return match text.parse() {
                Ok(levels) => (levels, None),
                Err(_) => (default(), Some(variable)),
            };
        }
    }
    (default(), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    #[test]
    fn levels_come_from_the_first_variable_that_is_set() {
        let of = |pairs: &'static [(&str, &str)]| {
            levels(&move |variable| {
                let pair = pairs.iter().find(|(name, _)| *name == variable);
                pair.map(|(_, value)| (*value).to_owned())
            })
        };
        let enabled = |levels: &Targets, target, level| levels.would_enable(target, &level);
        let (info, wrong) = of(&[]);
        assert!(wrong.is_none());
        assert!(enabled(&info, "spate", Level::INFO) && !enabled(&info, "spate", Level::DEBUG));
        let (both, _) = of(&[("RUST_LOG", "error"), ("SPATE_LOG", "warn,spate_kafka=debug")]);
        assert!(enabled(&both, "spate_kafka", Level::DEBUG));
        assert!(!enabled(&both, "spate", Level::INFO));
        let (rust, _) = of(&[("RUST_LOG", "trace"), ("SPATE_LOG", "")]);
        assert!(enabled(&rust, "spate", Level::TRACE));
        let (fallen_back, wrong) = of(&[("SPATE_LOG", "a=b=c")]);
        assert_eq!(wrong, Some("SPATE_LOG"));
        assert!(enabled(&fallen_back, "spate", Level::INFO));
    }
}
