//! The command line: what was asked for. Pure.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use spate_runtime::graph::Style;

/// What the program is asked to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    /// Run the pipeline.
    Run(Inputs),
    /// Look at the world and tell what was found.
    Check(Inputs),
    /// Print the topology.
    Graph(Style),
    /// Print how to use the program.
    Help,
    /// Print versions.
    Version,
}

/// What a run or a check is made from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Inputs {
    /// The configuration file; `None` is the one compiled in.
    pub(crate) config: Option<PathBuf>,
    /// The folder that all rows go to, instead of the sinks.
    pub(crate) sinks_to: Option<PathBuf>,
}

/// A command line that cannot be carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UsageError {
    text: String,
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for UsageError {}

/// Reads the arguments behind the program's name.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, UsageError> {
    let mut args = args.into_iter().peekable();
    let word = args.next_if(|arg| !arg.to_string_lossy().starts_with('-'));
    let word = word.map_or_else(|| "run".to_owned(), |word| word.to_string_lossy().into_owned());
    match word.as_str() {
        "run" => inputs(args, Command::Run),
        "check" => inputs(args, Command::Check),
        "graph" => graph(args),
        "help" => Ok(Command::Help),
        other => Err(usage(format!("no command `{other}`: there are `run`, `check` and `graph`"))),
    }
}

fn inputs(
    mut args: impl Iterator<Item = OsString>,
    command: fn(Inputs) -> Command,
) -> Result<Command, UsageError> {
    let mut inputs = Inputs::default();
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy().into_owned();
        let (name, attached) = match text.split_once('=') {
            Some((name, value)) => (name, Some(OsString::from(value))),
            None => (text.as_str(), None),
        };
        let slot = match name {
            "--config" | "-c" => &mut inputs.config,
            "--sinks-to" => &mut inputs.sinks_to,
            "--help" | "-h" => return Ok(Command::Help),
            "--version" | "-V" => return Ok(Command::Version),
            _ => return Err(usage(format!("unknown argument `{text}`"))),
        };
        let value = attached
            .or_else(|| args.next())
            .filter(|value| !value.is_empty());
        let value = value.ok_or_else(|| usage(format!("`{name}` needs a path")))?;
        if slot.replace(PathBuf::from(value)).is_some() {
            return Err(usage(format!("`{name}` was given twice")));
        }
    }
    Ok(command(inputs))
}

fn graph(mut args: impl Iterator<Item = OsString>) -> Result<Command, UsageError> {
    let style = args.next().map(|arg| arg.to_string_lossy().into_owned());
    let style = match style.as_deref() {
        None | Some("text") => Style::Text,
        Some("mermaid") => Style::Mermaid,
        Some("dot") => Style::Dot,
        Some("--help" | "-h") => return Ok(Command::Help),
        Some(other) => {
            let text = format!("no style `{other}`: there are `text`, `mermaid` and `dot`");
            return Err(usage(text));
        }
    };
    match args.next() {
        None => Ok(Command::Graph(style)),
        Some(arg) => Err(usage(format!("unknown argument `{}`", arg.to_string_lossy()))),
    }
}

const fn usage(text: String) -> UsageError {
    UsageError { text }
}

/// How to use the program.
pub(crate) fn help(program: &str, pipeline: &str, config: Option<&str>) -> String {
    let config = match config {
        Some(file) => format!("the one compiled in, `{file}`"),
        None => "none: every setting has its default".to_owned(),
    };
    format!(
        "\
Runs the pipeline `{pipeline}`.

usage: {program} [run] [--config FILE] [--sinks-to DIR]
       {program} check [--config FILE] [--sinks-to DIR]
       {program} graph [text|mermaid|dot]

  run                read, write and commit until a signal (the default)
  check              look at topics, tables and permissions, and report all that is wrong
  graph              print the topology

  -c, --config FILE  the configuration (default: {config})
      --sinks-to DIR write the rows of every sink to files under DIR instead
  -h, --help         print this
  -V, --version      print the version

environment: SPATE_LOG (or RUST_LOG) sets the log level: `info`, or `warn,spate_kafka=debug`.
             A `${{NAME}}` in the configuration is the variable NAME.
signals:     the first SIGINT or SIGTERM drains: what was read is written and committed.
             The second ends at once: what is not durable will be read again.
exit code:   0 drained, 1 failed, 2 wrong usage, 3 ended before all was durable.
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, UsageError> {
        parse(line.split_whitespace().map(OsString::from))
    }

    fn inputs_of(config: Option<&str>, sinks_to: Option<&str>) -> Inputs {
        Inputs { config: config.map(PathBuf::from), sinks_to: sinks_to.map(PathBuf::from) }
    }

    #[test]
    fn a_command_line_is_read() {
        for (line, expected) in [
            ("", Command::Run(inputs_of(None, None))),
            ("run", Command::Run(inputs_of(None, None))),
            ("--config a.yaml", Command::Run(inputs_of(Some("a.yaml"), None))),
            ("run --sinks-to=out", Command::Run(inputs_of(None, Some("out")))),
            ("run -c a --sinks-to out", Command::Run(inputs_of(Some("a"), Some("out")))),
            ("check --config=a=b", Command::Check(inputs_of(Some("a=b"), None))),
            ("graph", Command::Graph(Style::Text)),
            ("graph mermaid", Command::Graph(Style::Mermaid)),
            ("graph dot", Command::Graph(Style::Dot)),
            ("--help", Command::Help),
            ("check -h", Command::Help),
            ("graph --help", Command::Help),
            ("help", Command::Help),
            ("-V", Command::Version),
        ] {
            assert_eq!(parsed(line), Ok(expected), "{line}");
        }
    }

    #[test]
    fn a_wrong_command_line_says_what_there_is() {
        for (line, says) in [
            ("start", "no command `start`: there are `run`, `check` and `graph`"),
            ("run --cfg a", "unknown argument `--cfg`"),
            ("run extra", "unknown argument `extra`"),
            ("--config", "`--config` needs a path"),
            ("--config=", "`--config` needs a path"),
            ("-c a -c b", "`-c` was given twice"),
            ("graph svg", "no style `svg`: there are `text`, `mermaid` and `dot`"),
            ("graph dot more", "unknown argument `more`"),
        ] {
            assert_eq!(parsed(line).unwrap_err().to_string(), says, "{line}");
        }
    }

    #[test]
    fn the_help_names_every_argument_and_exit_code() {
        let help = help("orders", "orders", Some("orders.yaml"));
        for word in ["--config", "--sinks-to", "check", "graph", "SPATE_LOG", "orders.yaml", " 3 "]
        {
            assert!(help.contains(word), "{word} is not in\n{help}");
        }
        assert!(help.lines().all(|line| line.chars().count() <= 96), "{help}");
    }
}
