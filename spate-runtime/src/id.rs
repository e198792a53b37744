//! Newtypes for every id and every offset.
//!
//! Plain values, `Copy` where they can be; no behaviour beyond conversion and display.

use std::fmt;
use std::sync::Arc;

/// A position in a partition, inclusive: it names one payload. Offsets rise and may have gaps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Offset(pub u64);

impl Offset {
    /// The offset after this one, as an exclusive end.
    #[inline]
    #[must_use]
    pub const fn next(self) -> NextOffset {
        NextOffset(self.0 + 1)
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The next position to read, exclusive: everything below it was read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct NextOffset(pub u64);

impl fmt::Display for NextOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The first offset not covered by the resolved prefix, exclusive: what a commit makes durable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Watermark(pub u64);

impl fmt::Display for Watermark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One partition of one topic (for files: the file's name, partition 0).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Partition {
    /// The topic, as the source names it.
    pub topic: Arc<str>,
    /// The partition's number within the topic.
    pub id: u32,
}

impl Partition {
    /// Names partition `id` of `topic`.
    #[must_use]
    pub fn new(topic: impl Into<Arc<str>>, id: u32) -> Self {
        Self { topic: topic.into(), id }
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.topic, self.id)
    }
}

/// One assignment of a partition to this process; counts up within the process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Epoch(pub u64);

/// The index of a declared sink in its pipeline, in order of declaration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SinkId(pub usize);

/// The index of a declared lookup in its pipeline, in order of declaration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct LookupId(pub usize);

/// The index of a declared source in its pipeline, in order of declaration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SourceId(pub usize);

/// The index of a shard of a sink: a slice of its data by key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ShardId(pub usize);

/// The index of a replica of a shard: one of its equal endpoints.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ReplicaId(pub usize);
