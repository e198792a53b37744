//! The source: control plane, settings, preflight.
//!
//! Controller thread, blocking on the disk. The files that are there at the start are assigned a
//! few at a time, in order of their names, so that a folder of ten thousand is not opened at once;
//! the next ones follow as lanes reach the end of theirs.

mod checkpoint;
mod lane;
mod lines;
mod paths;
mod progress;

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use spate_runtime::error::SourceError;
use spate_runtime::error::chain_text;
use spate_runtime::id::{NextOffset, Partition, Watermark};
use spate_runtime::lane::source::{Assigned, Commit, LogEnd, Source, SourceEvent};
use spate_runtime::preflight::Findings;

use checkpoint::{Checkpoint, Marks};
use lane::{FileLane, beyond_end};
use paths::{Found, expand};
use progress::Progress;

/// What a source of files is set to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Settings {
    pub(crate) name: String,
    pub(crate) paths: Vec<String>,
    /// A folder.
    pub(crate) checkpoint: PathBuf,
    /// Bytes of the longest line, its end not counted.
    pub(crate) line_max: usize,
    /// Files read at the same time.
    pub(crate) files_open: usize,
}

/// The control plane.
pub(crate) struct FileSource {
    settings: Settings,
    checkpoint: Checkpoint,
    marks: Marks,
    warning: Option<String>,
    /// Found at the start, not assigned yet.
    waiting: VecDeque<Found>,
    assigned: Vec<Found>,
    progress: Arc<Progress>,
    /// Files known to have ended.
    ended: usize,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Joining,
    Reading,
    Ended,
}

impl FileSource {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            checkpoint: Checkpoint::new(settings.checkpoint.clone(), &settings.name),
            settings,
            marks: Marks::new(),
            warning: None,
            waiting: VecDeque::new(),
            assigned: Vec::new(),
            progress: Arc::default(),
            ended: 0,
            stage: Stage::Joining,
        }
    }

    /// As many of the waiting files as may be read at the same time.
    fn assign(&mut self) -> Vec<Assigned> {
        let reading = self.assigned.len() - self.ended;
        let count = self
            .settings
            .files_open
            .saturating_sub(reading)
            .min(self.waiting.len());
        let found: Vec<Found> = self.waiting.drain(..count).collect();
        let assigned = found.iter().map(|found| self.assign_one(found)).collect();
        self.assigned.extend(found);
        assigned
    }

    fn assign_one(&self, found: &Found) -> Assigned {
        let partition = Partition::new(found.path.as_str(), 0);
        let mark = self.marks.get(&found.path);
        let start = mark.map_or(0, |(Watermark(at), _)| *at);
        let progress = Arc::clone(&self.progress);
        Assigned {
            lane: Box::new(FileLane::new(
                partition.clone(),
                start,
                self.settings.line_max,
                progress,
            )),
            partition,
            start: NextOffset(start),
            note: mark.map(|(_, note)| note.clone()),
        }
    }
}

impl Source for FileSource {
    fn check(&mut self) -> Findings {
        let mut findings = Findings::default();
        let (found, errors) = expand(&self.settings.paths);
        for error in errors {
            findings.error("S062", chain_text(&error), error.hint().unwrap_or_default());
        }
        for found in &found {
            if let Err(error) = fs::File::open(&found.path) {
                let text = format!("file `{}` cannot be read: {error}", found.path);
                findings.error("S062", text, "give this user the right to read it");
            }
        }
        if found.is_empty() && findings.0.is_empty() {
            let text = format!("source `{}` has no file to read", self.settings.name);
            findings.warning("S063", text, "");
        }
        match self.checkpoint.load() {
            Err(error) => {
                findings.error("S064", chain_text(&error), error.hint().unwrap_or_default());
            }
            Ok(loaded) => {
                if let Some(warning) = loaded.warning {
                    findings.warning("S064", warning, "");
                }
                for found in &found {
                    let read = loaded.marks.get(&found.path);
                    if let Some((Watermark(read), _)) = read.filter(|(mark, _)| mark.0 > found.len)
                    {
                        let error = beyond_end(Path::new(&found.path), *read, found.len);
                        let help = error.hint().unwrap_or_default().to_owned();
                        findings.error("S065", error.to_string(), help);
                    }
                }
            }
        }
        findings
    }

    fn start(&mut self) -> Result<(), SourceError> {
        self.checkpoint.lock()?;
        let loaded = self.checkpoint.load()?;
        self.marks = loaded.marks;
        self.warning = loaded.warning;
        let (found, errors) = expand(&self.settings.paths);
        if let Some(error) = errors.into_iter().next() {
            return Err(error);
        }
        self.waiting = found.into();
        Ok(())
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<SourceEvent>, SourceError> {
        if let Some(warning) = self.warning.take() {
            return Ok(Some(SourceEvent::Warning(warning)));
        }
        if self.stage == Stage::Joining {
            self.stage = Stage::Reading;
            return Ok(Some(SourceEvent::Assigned(self.assign())));
        }
        let all = self.waiting.is_empty() && self.ended == self.assigned.len();
        if self.stage == Stage::Reading && all {
            self.stage = Stage::Ended;
            return Ok(Some(SourceEvent::Ended));
        }
        self.ended = self.progress.wait_past(self.ended, wait);
        let assigned = self.assign();
        Ok((!assigned.is_empty()).then_some(SourceEvent::Assigned(assigned)))
    }

    fn commit(&mut self, commits: &[Commit]) -> Result<(), SourceError> {
        for commit in commits {
            let mark = (commit.watermark, commit.note.clone());
            self.marks.insert(commit.partition.topic.to_string(), mark);
        }
        self.checkpoint.store(&self.marks)
    }

    fn released(&mut self, _partitions: &[Partition]) {}

    /// Reads on demand: a paused partition is one whose lane is not filled.
    fn set_paused(&mut self, _partition: &Partition, _paused: bool) {}

    fn log_ends(&mut self) -> Vec<LogEnd> {
        self.assigned
            .iter()
            .map(|found| LogEnd {
                partition: Partition::new(found.path.as_str(), 0),
                end: NextOffset(found.len),
            })
            .collect()
    }

    fn close(&mut self) {}
}

#[cfg(test)]
mod tests;
