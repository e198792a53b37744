//! The deduplication token of a sealed batch. Pure.
//!
//! Made of pipeline, sink, shard, topic, partition, first offset, last offset and incarnation,
//! and the number of rows; never of a process id, a clock or a counter. The same range of the same
//! life of a partition gives the same token, in this process and in the next.
//!
//! ```text
//! orders-lines-0-<topic>-3-1200-1399-200r-9f86d081884c7d65
//! ```
//!
//! Characters that a file name or a URL would mind are replaced, and a hash of the originals is
//! added where that happened, so that two names never give one token.

use std::fmt::Write as _;

use crate::chain::frame::Frame;
use crate::chain::shard_key::ShardKey as _;

/// The longest name that stands in a token as it is.
const NAME_MAX: usize = 100;

/// Makes the token of `frames`, which are written together; there is at least one.
#[must_use]
pub fn token(pipeline: &str, sink: &str, frames: &[Frame]) -> String {
    let Some(first) = frames.first() else { return String::new() };
    let mut token = String::new();
    push_name(&mut token, pipeline);
    token.push('-');
    push_name(&mut token, sink);
    write!(token, "-{}", first.shard.0).expect("writing to a String cannot fail");
    let mut lane: Option<(u64, u64, u64, u32)> = None;
    let mut frames = frames.iter().peekable();
    while let Some(frame) = frames.next() {
        let (from, to, rows) = lane
            .map_or((frame.first.0, frame.last.0, frame.rows), |(_, from, to, rows)| {
                (from, to.max(frame.last.0), rows + frame.rows)
            });
        let epoch = frame.lane.epoch.0;
        if frames.peek().is_some_and(|next| next.lane.epoch.0 == epoch) {
            lane = Some((epoch, from, to, rows));
            continue;
        }
        lane = None;
        token.push('-');
        push_name(&mut token, &frame.lane.partition.topic);
        let partition = frame.lane.partition.id;
        let incarnation = frame.lane.incarnation;
        write!(token, "-{partition}-{from}-{to}-{rows}r-{incarnation}")
            .expect("writing to a String cannot fail");
    }
    if token.len() > 240 {
        // Many lanes in one batch: keep what a person looks for and hash the rest.
        let hash = token.shard_hash();
        token.truncate(200);
        write!(token, "-{hash:016x}").expect("writing to a String cannot fail");
    }
    token
}

fn push_name(token: &mut String, name: &str) {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let short = name
        .chars()
        .take(NAME_MAX)
        .map(|c| if plain(c) { c } else { '_' });
    token.extend(short);
    if name.len() > NAME_MAX || !name.chars().all(plain) {
        write!(token, "-{:016x}", name.shard_hash()).expect("writing to a String cannot fail");
    }
}
