//! The sink: one file per sealed batch, named by its token.
//!
//! I/O runtime; the blocking calls go to its pool of blocking threads.
//!
//! ```text
//! name there?   yes: sync the folder, written (an earlier try may have died before that)
//!               no:  write under a temporary name, sync, rename, sync the folder
//! ```
//!
//! Holds: INV-S1 for files (one token, one file).

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use spate_runtime::chain::shard_key::ShardKey;
use spate_runtime::id::{ReplicaId, ShardId};
use spate_runtime::preflight::Findings;
use spate_runtime::sink::{BoxFuture, Layout, Outcome, SealedBatch, Sink, WriteError};

use crate::durable::{TEMPORARY, Unfinished, make_dir, sync_dir};
use crate::error::write_error;

/// Makes the sink that `run --sinks-to DIR` writes `sink` to: `DIR/<sink>/`.
#[must_use]
pub fn open_sink(dir: &Path, sink: &str) -> Arc<dyn Sink> {
    Arc::new(FileSink::new(dir.join(sink)))
}

/// A folder of files, one per sealed batch.
#[derive(Debug)]
pub(crate) struct FileSink {
    dir: Arc<Path>,
}

impl FileSink {
    pub(crate) fn new(dir: PathBuf) -> Self {
        Self { dir: dir.into() }
    }

    /// Runs `work` with the folder on a thread that may block.
    fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> T + Send + 'static,
    ) -> BoxFuture<'_, T> {
        let dir = Arc::clone(&self.dir);
        Box::pin(async move {
            match tokio::task::spawn_blocking(move || work(&dir)).await {
                Ok(value) => value,
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            }
        })
    }
}

impl Sink for FileSink {
    fn layout(&self) -> Layout {
        Layout { replicas: vec![1], deduplicates: true, replicas_share_tokens: true }
    }

    fn check(&self) -> BoxFuture<'_, Findings> {
        self.blocking(check_dir)
    }

    fn probe(&self, _: ShardId, _: ReplicaId) -> BoxFuture<'_, Result<(), WriteError>> {
        self.blocking(|dir| {
            make_dir(dir).map_err(|error| write_error(dir, error, Outcome::NotWritten))
        })
    }

    fn write(
        &self,
        _: ShardId,
        _: ReplicaId,
        batch: Arc<SealedBatch>,
    ) -> BoxFuture<'_, Result<(), WriteError>> {
        self.blocking(move |dir| write_batch(dir, &batch))
    }
}

fn write_batch(dir: &Path, batch: &SealedBatch) -> Result<(), WriteError> {
    let name = file_name(batch.token());
    let path = dir.join(&name);
    let not_written = |error| write_error(&path, error, Outcome::NotWritten);
    make_dir(dir).map_err(not_written)?;
    if !path.try_exists().map_err(not_written)? {
        let unfinished = Unfinished::write(dir, &name, batch.chunks()).map_err(not_written)?;
        unfinished.rename(&path).map_err(not_written)?;
    }
    sync_dir(dir).map_err(|error| write_error(&path, error, Outcome::Unknown))
}

/// The file's name for a token: the token, where it is short and plain enough for a name.
///
/// Otherwise what is plain of its beginning, and 128 bits of its hash.
fn file_name(token: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.,=+@~".contains(&byte);
    let fits = (1..=NAME_MAX).contains(&token.len());
    if fits && token.bytes().all(plain) && !token.starts_with('.') {
        return format!("{token}.ndjson");
    }
    let kept: String = token
        .bytes()
        .take(NAME_MAX - 40)
        .map(|byte| if plain(byte) && byte != b'.' { char::from(byte) } else { '_' })
        .collect();
    // Two hashes over different alignments: what collides in one does not in the other.
    let hashes = (token.shard_hash(), format!("spate:{token}").shard_hash());
    format!("{kept}-{:016x}{:016x}.ndjson", hashes.0, hashes.1)
}

/// Leaves room for the temporary name's additions within the 255 bytes of common file systems.
const NAME_MAX: usize = 200;

fn check_dir(dir: &Path) -> Findings {
    let mut findings = Findings::default();
    let none: [&[u8]; 0] = [];
    let tried = make_dir(dir).and_then(|()| Unfinished::write(dir, "check", none.into_iter()));
    if let Err(error) = tried.map(drop) {
        findings.error(
            "S060",
            format!("folder `{}` cannot be written to: {error}", dir.display()),
            "name another folder, or give this user the right to write there",
        );
        return findings;
    }
    match count_unfinished(dir) {
        Ok(0) => {}
        Ok(count) => findings.warning(
            "S061",
            format!("folder `{}` holds {count} unfinished files", dir.display()),
            format!("left by a crash; delete `.*{TEMPORARY}` there when nothing else writes to it"),
        ),
        Err(error) => findings.error(
            "S060",
            format!("folder `{}` cannot be read: {error}", dir.display()),
            "give this user the right to read it",
        ),
    }
    findings
}

fn count_unfinished(dir: &Path) -> io::Result<usize> {
    let mut count = 0;
    for entry in dir.read_dir()? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        count += usize::from(name.starts_with('.') && name.ends_with(TEMPORARY));
    }
    Ok(count)
}

#[cfg(test)]
mod tests;
