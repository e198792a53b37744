//! The program as a child process.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

/// Set in the environment of the program, not of the tests.
pub(crate) const AS_PROGRAM: &str = "SPATE_TEST_AS_PROGRAM";

/// A folder of its own for one run.
pub(crate) struct Out(pub(crate) PathBuf);

impl Out {
    pub(crate) fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("spate-program-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Lines of all files of a sink.
    pub(crate) fn lines(&self, sink: &str) -> usize {
        let Ok(files) = std::fs::read_dir(self.0.join(sink)) else { return 0 };
        // A file that was listed under its temporary name has another one by now.
        let files = files.filter_map(|file| std::fs::read_to_string(file.unwrap().path()).ok());
        files.map(|text| text.lines().count()).sum()
    }
}

impl Drop for Out {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap_or_default();
    }
}

/// What a run said and how it ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A run that goes on.
pub(crate) struct Program {
    child: Child,
    stderr: BufReader<ChildStderr>,
    said: String,
}

impl Program {
    pub(crate) fn start(out: &Out, env: &[(&str, &str)], args: &[&str]) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.env_remove("SPATE_LOG").env_remove("RUST_LOG");
        command
            .env(AS_PROGRAM, "1")
            .env("OUT", out.path())
            .envs(env.iter().copied())
            .args(args);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stderr, said: String::new() }
    }

    /// Reads its log until a line holds `text`; what came before is kept.
    pub(crate) fn wait_for(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.stderr.read_line(&mut line).unwrap();
            assert!(read > 0, "it ended without saying `{text}`:\n{}", self.said);
            self.said.push_str(&line);
            if line.contains(text) {
                return line;
            }
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let status = Command::new("kill").args([name, &pid]).status().unwrap();
        assert!(status.success(), "kill {name} {pid}");
    }

    pub(crate) fn end(mut self) -> Ended {
        // The log is small enough for its pipe to be read after the report.
        let mut stdout = String::new();
        let reader = self.child.stdout.as_mut().unwrap();
        reader.read_to_string(&mut stdout).unwrap();
        self.stderr.read_to_string(&mut self.said).unwrap();
        let code = self.child.wait().unwrap().code();
        Ended { code, stdout, stderr: self.said }
    }
}

/// Runs to the end.
pub(crate) fn run(out: &Out, env: &[(&str, &str)], args: &[&str]) -> Ended {
    Program::start(out, env, args).end()
}
