//! Writing a file so that it is there whole or not at all.
//!
//! Blocking; callers keep it off lane threads. The order matters: the bytes are on the disk before
//! the name is, and the name is before anybody is told.
//!
//! ```text
//! temporary name, write, fsync   ->   rename   ->   fsync of the folder
//! ```

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Temporary names end in it, and begin with a dot.
pub(crate) const TEMPORARY: &str = ".tmp";

/// A file under its temporary name; removed again unless it was renamed.
pub(crate) struct Unfinished {
    path: PathBuf,
    renamed: bool,
}

impl Unfinished {
    /// Writes `chunks` to a new file in `dir` and waits until they are on the disk.
    ///
    /// The name is this process's own, so that two writers of one name never share a file.
    pub(crate) fn write(
        dir: &Path,
        name: &str,
        chunks: impl Iterator<Item = impl AsRef<[u8]>>,
    ) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = dir.join(format!(".{name}.{}-{count}{TEMPORARY}", process::id()));
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)?;
        let unfinished = Self { path, renamed: false };
        for chunk in chunks {
            file.write_all(chunk.as_ref())?;
        }
        file.sync_all()?;
        Ok(unfinished)
    }

    /// Gives the file its name, in place of what had it before. Not durable before [`sync_dir`].
    pub(crate) fn rename(mut self, to: &Path) -> io::Result<()> {
        fs::rename(&self.path, to)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.renamed {
            // Best effort: what stays is passed over by every reader.
            drop(fs::remove_file(&self.path));
        }
    }
}

/// Makes the names in `dir` durable.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(or_here(dir))?.sync_all() } else { Ok(()) }
}

/// Makes `dir` and what is above it, durably.
pub(crate) fn make_dir(dir: &Path) -> io::Result<()> {
    let dir = or_here(dir);
    if dir.is_dir() {
        return Ok(());
    }
    let parent = dir.parent().unwrap_or_else(|| Path::new(""));
    make_dir(parent)?;
    match fs::create_dir(dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ if dir.is_dir() => {}
        _ => return Err(io::ErrorKind::NotADirectory.into()),
    }
    sync_dir(parent)
}

fn or_here(dir: &Path) -> &Path {
    if dir.as_os_str().is_empty() { Path::new(".") } else { dir }
}
