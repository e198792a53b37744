//! A pipeline as a process: to be signalled and killed, judged by its exit code and its words.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

use super::yaml::Yaml;
use super::{random, until};

/// A process that runs a pipeline; killed when dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    output: PathBuf,
}

/// The programs of `src/bin`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Program {
    Copies,
    Strict,
}

impl Process {
    #[track_caller]
    pub(crate) fn start(program: Program, yaml: &Yaml) -> Self {
        let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let name = format!("{program:?}-{:016x}", random());
        let config = dir.join(format!("{name}.yaml"));
        fs::write(&config, yaml.to_string()).unwrap();
        let output = dir.join(format!("{name}.log"));
        let log = File::create(&output).unwrap();
        let path = match program {
            Program::Copies => env!("CARGO_BIN_EXE_copies"),
            Program::Strict => env!("CARGO_BIN_EXE_strict"),
        };
        let child = Command::new(path)
            .args(["run", "--config"])
            .arg(&config)
            .env("SPATE_LOG", "debug")
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        Self { child, output }
    }

    /// Everything it said so far, on both streams.
    pub(crate) fn output(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.output).unwrap()).into_owned()
    }

    /// Bytes of memory that it has now.
    pub(crate) fn resident(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
        kib.and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) << 10
    }

    /// As `kill -9`.
    #[track_caller]
    pub(crate) fn kill(mut self) {
        assert!(self.is_running(), "ended before it was killed:\n{}", self.output());
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// As `kill -TERM`.
    #[track_caller]
    pub(crate) fn terminate(&self) {
        let pid = self.child.id().to_string();
        let status = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
        assert!(status.success());
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits until it has ended; its exit code and its words.
    #[track_caller]
    pub(crate) fn wait(mut self) -> (Option<i32>, String) {
        let mut status: Option<ExitStatus> = None;
        until("the process ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        (status.unwrap().code(), self.output())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.is_running() {
            drop(self.child.kill());
            drop(self.child.wait());
        }
    }
}
