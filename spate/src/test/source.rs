//! A source under test.

use std::fmt;
use std::path::Path;

use spate_runtime::harness::{Harness, Stored};
use spate_runtime::id::Partition;

/// A source under test: what it is to give out, and what was committed to it.
///
/// Chosen first, pushed last: `t.events().partition(1).key("ada").push(json)`. What is not chosen
/// is partition 0, the next offset, no key, no timestamp, no header. A partition is there from its
/// first use on.
#[must_use]
#[derive(Clone)]
pub struct Source<'t> {
    harness: &'t Harness,
    index: usize,
    partition: u32,
    topic: Option<String>,
    offset: Option<u64>,
    payload: Stored,
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.harness.graph().sources[self.index].name)
            .field("partition", &self.place())
            .finish_non_exhaustive()
    }
}

impl<'t> Source<'t> {
    pub(super) const fn new(harness: &'t Harness, index: usize) -> Self {
        let payload =
            Stored { value: None, key: None, timestamp_ms: None, headers: Vec::new(), offset: 0 };
        Self { harness, index, partition: 0, topic: None, offset: None, payload }
    }

    /// Chooses a partition.
    pub fn partition(self, id: u32) -> Self {
        Self { partition: id, ..self }
    }

    /// Chooses a topic; without one it is called as the source is.
    pub fn topic(self, topic: impl Into<String>) -> Self {
        Self { topic: Some(topic.into()), ..self }
    }

    /// Chooses the offset, for logs with gaps.
    pub fn offset(self, offset: u64) -> Self {
        Self { offset: Some(offset), ..self }
    }

    /// Gives what is pushed a key.
    pub fn key(mut self, key: impl AsRef<[u8]>) -> Self {
        self.payload.key = Some(key.as_ref().to_vec());
        self
    }

    /// Gives what is pushed a timestamp, in milliseconds since the Unix epoch.
    pub fn timestamp_ms(mut self, timestamp_ms: i64) -> Self {
        self.payload.timestamp_ms = Some(timestamp_ms);
        self
    }

    /// Gives what is pushed one more header.
    pub fn header(mut self, name: impl Into<String>, value: impl AsRef<[u8]>) -> Self {
        self.payload
            .headers
            .push((name.into(), Some(value.as_ref().to_vec())));
        self
    }

    /// Pushes a payload: bytes, or a text such as a JSON object; its offset.
    ///
    /// # Panics
    ///
    /// If the chosen offset lies below the next one: offsets rise.
    #[track_caller]
    pub fn push(&self, value: impl AsRef<[u8]>) -> u64 {
        self.append(Some(value.as_ref()))
    }

    /// Pushes a payload without a value; its offset.
    ///
    /// # Panics
    ///
    /// As [`Source::push`].
    #[track_caller]
    pub fn tombstone(&self) -> u64 {
        self.append(None)
    }

    /// Pushes a value as JSON; its offset.
    ///
    /// # Panics
    ///
    /// If it cannot be written as JSON, and as [`Source::push`].
    #[cfg(feature = "json")]
    #[track_caller]
    pub fn push_json(&self, value: &impl serde::Serialize) -> u64 {
        match serde_json::to_vec(value) {
            Ok(text) => self.push(text),
            Err(error) => panic!("this value has no JSON: {error}"),
        }
    }

    /// Pushes every line of a file that is not empty, as the source `File` gives them; how many.
    ///
    /// A relative path begins in the package's folder, where `cargo test` runs tests.
    ///
    /// # Panics
    ///
    /// If the file cannot be read.
    #[track_caller]
    pub fn push_lines_of(&self, path: impl AsRef<Path>) -> usize {
        let path = path.as_ref();
        let bytes = std::fs::read(path)
            .unwrap_or_else(|error| panic!("could not read `{}`: {error}", path.display()));
        let lines = bytes.split(|byte| *byte == b'\n');
        let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let lines = lines.filter(|line| !line.is_empty());
        let mut count = 0;
        for line in lines {
            self.push(line);
            count += 1;
        }
        count
    }

    /// Takes the partition away: lanes hand over what they have, and it is committed.
    pub fn revoke(&self) {
        let place = self.place();
        self.harness
            .world(|world| world.revoke(self.index, &place, false));
    }

    /// Takes the partition away without a warning: what is not committed will be read again.
    pub fn lose(&self) {
        let place = self.place();
        self.harness
            .world(|world| world.revoke(self.index, &place, true));
    }

    /// Gives a partition that was taken away to the pipeline again, as a new epoch.
    pub fn assign(&self) {
        let place = self.place();
        self.harness.world(|world| world.assign(self.index, &place));
    }

    /// Makes the next commits fail, of whatever partition.
    pub fn refuse_commits(&self, count: u32) {
        self.harness
            .world(|world| world.refuse_commits(self.index, count));
    }

    /// The partition's committed watermark: where another process would begin. 0 before the first
    /// commit.
    #[must_use]
    pub fn committed(&self) -> u64 {
        let place = self.place();
        let committed = self
            .harness
            .world(|world| world.committed(self.index, &place));
        committed.unwrap_or(0)
    }

    /// The watermarks committed for the partition, in order.
    #[must_use]
    pub fn commits(&self) -> Vec<u64> {
        let place = self.place();
        self.harness.world(|world| {
            let commits = world.commits(self.index).iter();
            let of_it = commits.filter(|commit| commit.partition == place);
            of_it.map(|commit| commit.watermark).collect()
        })
    }

    /// The partition's watermark: everything below it is durable. Where no lane reads it, what was
    /// committed.
    #[must_use]
    pub fn watermark(&self) -> u64 {
        match self.harness.lane(self.index, &self.place()) {
            Some(lane) => lane.watermark.0,
            None => self.committed(),
        }
    }

    #[track_caller]
    fn append(&self, value: Option<&[u8]>) -> u64 {
        let place = self.place();
        let payload = Stored { value: value.map(<[u8]>::to_vec), ..self.payload.clone() };
        let appended = self
            .harness
            .world(|world| world.append(self.index, &place, payload, self.offset));
        appended.unwrap_or_else(|next| {
            let offset = self.offset.unwrap_or(0);
            panic!("offsets rise: {offset} was asked for, the next of {place} is {next}")
        })
    }

    fn place(&self) -> Partition {
        match &self.topic {
            Some(topic) => Partition::new(topic.as_str(), self.partition),
            None => self
                .harness
                .world(|world| world.partition(self.index, self.partition)),
        }
    }
}
