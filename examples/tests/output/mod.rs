//! A folder for what a test writes, and reading it back.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder of its own, removed at the end.
pub(crate) struct Output(PathBuf);

impl Output {
    pub(crate) fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        drop(fs::remove_dir_all(&path));
        fs::create_dir_all(&path).expect("a folder below the target folder");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// The rows of all files of a sink; no row if it made no file.
pub(crate) fn rows(dir: &Path) -> Vec<serde_json::Value> {
    let Ok(files) = fs::read_dir(dir) else { return Vec::new() };
    let mut rows = Vec::new();
    for file in files {
        let path = file.expect("a file").path();
        assert_eq!(path.extension().and_then(|end| end.to_str()), Some("ndjson"), "{path:?}");
        let text = fs::read_to_string(&path).expect("UTF-8");
        rows.extend(
            text.lines()
                .map(|line| serde_json::from_str(line).expect("a row")),
        );
    }
    rows
}
