//! One file, read line by line.
//!
//! Lane thread. Reads of local files block for as long as the disk takes; nothing else waits here.
//! The file is opened at the first fill and closed after the last.

#![expect(unsafe_code, reason = "payloads that borrow from the lane's own buffer")]

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use spate_runtime::batch::{Batch, Payload, PayloadSlots};
use spate_runtime::error::{Class, SourceError};
use spate_runtime::id::{NextOffset, Offset, Partition};
use spate_runtime::lane::source::{Filled, Lane, LaneWaker};

use super::lines::{Line, LineError, Lines};
use super::progress::Progress;
use crate::error::source_error;

pub(super) struct FileLane {
    partition: Partition,
    line_max: usize,
    progress: Arc<Progress>,
    /// Dropped before what its payloads borrow from.
    slots: PayloadSlots,
    lines: Vec<Line>,
    state: State,
}

enum State {
    Unopened { start: u64 },
    Open(Lines<fs::File>),
    Ended { position: u64 },
}

impl FileLane {
    pub(super) fn new(
        partition: Partition,
        start: u64,
        line_max: usize,
        progress: Arc<Progress>,
    ) -> Self {
        Self {
            partition,
            line_max,
            progress,
            slots: PayloadSlots::default(),
            lines: Vec::new(),
            state: State::Unopened { start },
        }
    }

    fn path(&self) -> &Path {
        Path::new(&*self.partition.topic)
    }

    /// Opens the file at `start`; the second value says whether that is within a line.
    fn open(&self, start: u64) -> Result<(fs::File, bool), SourceError> {
        let failed = |error| source_error("open file", self.path(), error);
        let mut file = fs::File::open(self.path()).map_err(failed)?;
        let len = file.metadata().map_err(failed)?.len();
        if start > len {
            return Err(beyond_end(self.path(), start, len));
        }
        let Some(before) = start.checked_sub(1) else { return Ok((file, false)) };
        let mut last = [0];
        file.seek(SeekFrom::Start(before)).map_err(failed)?;
        file.read_exact(&mut last).map_err(failed)?;
        Ok((file, last != *b"\n"))
    }

    fn line_error(&self, error: LineError) -> SourceError {
        match error {
            LineError::Read(error) => source_error("read file", self.path(), error),
            LineError::TooLong { at } => {
                let (path, max) = (self.path().display(), self.line_max);
                let text = format!("the line at byte {at} of `{path}` is longer than {max} bytes");
                SourceError::new(Class::Record, text).with_hint("raise `line_max`")
            }
        }
    }
}

/// The file was cut or replaced since it was read: never a silent jump.
pub(super) fn beyond_end(path: &Path, start: u64, len: u64) -> SourceError {
    let path = path.display();
    let text = format!("file `{path}` has {len} bytes, but {start} of it were read");
    SourceError::new(Class::Config, text)
        .with_hint("it was cut or replaced: give the new file another name, or drop the checkpoint")
}

impl Lane for FileLane {
    fn fill(&mut self) -> Result<Filled, SourceError> {
        debug_assert!(self.lines.is_empty(), "INV-L5: filled before the release");
        if let State::Unopened { start } = self.state {
            let (file, within) = self.open(start)?;
            self.state = State::Open(Lines::new(file, start, within, self.line_max));
        }
        let State::Open(reader) = &mut self.state else { return Ok(Filled::Ended) };
        if let Err(error) = reader.next_lines(&mut self.lines) {
            return Err(self.line_error(error));
        }
        if self.lines.is_empty() {
            self.state = State::Ended { position: reader.position() };
            self.progress.file_ended();
            return Ok(Filled::Ended);
        }
        for (token, line) in self.lines.iter().enumerate() {
            let payload = Payload {
                value: Some(reader.bytes(line)),
                key: None,
                offset: Offset(line.at),
                timestamp_ms: i64::MIN,
                token,
            };
            // SAFETY: the reader's buffer is not touched before the next fill, which follows a
            // `release` that clears the slots, and the slots are dropped before the reader.
            unsafe { self.slots.push(payload) };
        }
        Ok(Filled::Payloads)
    }

    fn batch(&self) -> Batch<'_> {
        Batch::new(self.slots.as_slice(), &self.partition, None)
    }

    fn release(&mut self) {
        self.slots.clear();
        self.lines.clear();
    }

    /// A file never has nothing now and something later: the waker is never needed.
    fn set_waker(&mut self, _waker: LaneWaker) {}

    fn position(&self) -> Option<NextOffset> {
        match &self.state {
            State::Ended { position } => Some(NextOffset(*position)),
            State::Unopened { .. } | State::Open(_) => None,
        }
    }
}
