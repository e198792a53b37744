//! The program of a pipeline: `run`, `check`, `graph`.
//!
//! Standard output carries what was asked for (the report, the findings, the topology), standard
//! error the log and, on a terminal, the progress line.

mod args;
mod log;
mod progress;
mod signals;
mod terminal;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use spate_runtime::config::{Config, LogFormat, PipelineSettings};
use spate_runtime::error::chain_text;
use spate_runtime::pipeline::Definition;
use spate_runtime::preflight::{Findings, Severity};

use crate::pipeline::{Pipeline, PipelineError};
use args::{Command, Inputs};
use progress::Progress;
use signals::Caught;

const EXIT_FAILED: u8 = 1;
const EXIT_USAGE: u8 = 2;
const EXIT_NOT_DRAINED: u8 = 3;

/// The program of pipeline `D`: what `orders::main()` calls.
///
/// The exit code is 0 when drained, 1 when failed, 2 on wrong usage, 3 when it ended before all
/// was durable.
#[must_use]
pub fn main<D: Definition>() -> ExitCode {
    let mut args = std::env::args_os();
    let program = args
        .next()
        .unwrap_or_else(|| OsString::from(D::GRAPH.pipeline));
    let program = Path::new(&program)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let code = match args::parse(args) {
        Ok(Command::Run(inputs)) => run::<D>(&inputs),
        Ok(Command::Check(inputs)) => check::<D>(&inputs),
        Ok(Command::Graph(style)) => print(&D::GRAPH.render(style).to_string(), 0),
        Ok(Command::Help) => {
            let file = D::CONFIG.map(|(file, _)| file);
            print(&args::help(&program, D::GRAPH.pipeline, file), 0)
        }
        Ok(Command::Version) => {
            let (name, version) = (D::GRAPH.pipeline, env!("CARGO_PKG_VERSION"));
            print(&format!("{name} (spate {version})\n"), 0)
        }
        Err(error) => {
            complain(&format!("error: {error}\n  help: `{program} --help` says what there is\n"));
            EXIT_USAGE
        }
    };
    ExitCode::from(code)
}

fn run<D: Definition>(inputs: &Inputs) -> u8 {
    match try_run::<D>(inputs) {
        Ok(code) => code,
        Err(error) => failed(&error),
    }
}

fn try_run<D: Definition>(inputs: &Inputs) -> Result<u8, PipelineError> {
    let (pipeline, format) = prepare::<D>(inputs)?;
    log::init(format);
    let caught = Caught::register().map_err(PipelineError::Thread)?;
    let running = pipeline.start()?;
    if let Some(address) = running.admin_address() {
        tracing::info!(%address, "serving /metrics, /healthz and /readyz");
    }
    let served = caught
        .serve(running.handle().clone())
        .map_err(PipelineError::Thread)?;
    let progress = Progress::start(running.handle().clone()).map_err(PipelineError::Thread)?;
    let report = running.wait();
    drop(served);
    drop(progress);
    let code = report.exit_code();
    if let Err(broken) = report.balance() {
        tracing::error!(broken = broken.len(), "the report does not balance");
    }
    // A log of JSON lines stays one: the report is a field there.
    Ok(match format {
        LogFormat::Text => print(&format!("{report}\n"), code),
        LogFormat::Json => {
            tracing::info!(exit_code = code, report = %report, "ended");
            code
        }
    })
}

fn check<D: Definition>(inputs: &Inputs) -> u8 {
    let found = prepare::<D>(inputs).and_then(|(pipeline, format)| {
        log::init(format);
        pipeline.check()
    });
    match found {
        Ok(findings) => {
            let is_wrong = findings.has_errors() || findings.has_unreachable();
            print(
                &findings_text(D::GRAPH.pipeline, &findings),
                if is_wrong { EXIT_FAILED } else { 0 },
            )
        }
        Err(error) => failed(&error),
    }
}

/// Reads the configuration and makes the pipeline.
fn prepare<D: Definition>(inputs: &Inputs) -> Result<(Pipeline, LogFormat), PipelineError> {
    let config = match (&inputs.config, D::CONFIG) {
        (Some(file), _) => Config::load(file)?,
        (None, Some((file, text))) => {
            Config::parse(file, text, &|variable| std::env::var(variable).ok())?
        }
        (None, None) => Config::empty(),
    };
    // Only for the log's format: all that is wrong is reported together, by the assembly.
    let format = PipelineSettings::from_config(&config).map_or(LogFormat::Text, |read| read.log);
    let pipeline = Pipeline::new::<D>(config);
    Ok(match &inputs.sinks_to {
        Some(dir) => (pipeline.sinks_to(dir), format),
        None => (pipeline, format),
    })
}

fn findings_text(pipeline: &str, findings: &Findings) -> String {
    let mut text = String::new();
    let mut wrong = 0;
    for finding in &findings.0 {
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Unreachable => "unreachable",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        wrong += usize::from(matches!(finding.severity, Severity::Error | Severity::Unreachable));
        text += &format!("{severity}: {} [{}]\n", finding.text, finding.code);
        if !finding.help.is_empty() {
            text += &format!("  help: {}\n", finding.help);
        }
    }
    text + &match wrong {
        0 => format!("{pipeline} can run\n"),
        1 => format!("{pipeline} cannot run: 1 thing is wrong\n"),
        _ => format!("{pipeline} cannot run: {wrong} things are wrong\n"),
    }
}

fn failed(error: &PipelineError) -> u8 {
    let mut text = String::new();
    match error {
        PipelineError::Config(errors) => {
            for line in errors.to_string().lines() {
                let label = if line.starts_with(' ') { "" } else { "error: " };
                text += &format!("{label}{line}\n");
            }
        }
        other => text = format!("error: {}\n", chain_text(other)),
    }
    if let Some(hint) = error.hint() {
        text += &format!("  help: {hint}\n");
    }
    complain(&text);
    EXIT_FAILED
}

/// Writes to standard output; a reader that went away is no failure of the pipeline.
fn print(text: &str, code: u8) -> u8 {
    terminal::clear();
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => code,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => code,
        Err(_) => code.max(EXIT_FAILED),
    }
}

fn complain(text: &str) {
    // With standard error gone there is nobody left to tell.
    drop(io::stderr().lock().write_all(text.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_told_with_their_help_and_a_verdict() {
        let mut findings = Findings::default();
        findings.note("S010", "table `lines` has 3 columns");
        assert_eq!(
            findings_text("orders", &findings),
            "note: table `lines` has 3 columns [S010]\norders can run\n"
        );
        findings.error("S011", "no table `refunds`", "create it");
        findings.unreachable("S012", "`db:8123` does not answer", "");
        assert_eq!(
            findings_text("orders", &findings),
            "note: table `lines` has 3 columns [S010]\n\
             error: no table `refunds` [S011]\n  help: create it\n\
             unreachable: `db:8123` does not answer [S012]\n\
             orders cannot run: 2 things are wrong\n"
        );
    }
}
