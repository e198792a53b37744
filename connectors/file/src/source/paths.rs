//! From the paths as written to the files they mean.
//!
//! Blocking. A name with `*` (any text) or `?` (any one character) in its last part means the files
//! of that folder it fits; a folder means all its files. Hidden files are left out unless named.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use spate_runtime::error::{Class, SourceError};

use crate::error::source_error;

/// One file to read.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Found {
    /// As written, or as found below what was written: the topic.
    pub(super) path: String,
    /// Its length now.
    pub(super) len: u64,
}

/// The files that `paths` mean, sorted, each once; and what is wrong with them.
pub(super) fn expand(paths: &[String]) -> (Vec<Found>, Vec<SourceError>) {
    let mut found = Vec::new();
    let mut errors = Vec::new();
    for path in paths {
        match expand_one(path) {
            Ok(files) => found.extend(files),
            Err(error) => errors.push(error),
        }
    }
    found.sort();
    found.dedup();
    (found, errors)
}

fn expand_one(written: &str) -> Result<Vec<Found>, SourceError> {
    let path = Path::new(written);
    let failed = |error| source_error("find file", path, error);
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => files_in(path, &|_| true).map_err(failed),
        Ok(meta) => Ok(vec![Found { path: written.to_owned(), len: meta.len() }]),
        Err(error) if error.kind() == io::ErrorKind::NotFound && written.contains(['*', '?']) => {
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            let dir = path.parent().unwrap_or_else(|| Path::new(""));
            let files = files_in(dir, &|file| fits(name, file)).map_err(failed)?;
            if files.is_empty() {
                let text = format!("no file fits `{written}`");
                return Err(SourceError::new(Class::Config, text)
                    .with_hint("`*` and `?` stand in the last part of a path only"));
            }
            Ok(files)
        }
        Err(error) => Err(failed(error)),
    }
}

fn files_in(dir: &Path, takes: &dyn Fn(&str) -> bool) -> io::Result<Vec<Found>> {
    let list = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let mut files = Vec::new();
    for entry in fs::read_dir(list)? {
        let entry = entry?;
        let path: PathBuf = dir.join(entry.file_name());
        let Some(text) = path.to_str() else {
            let text = format!("the name `{}` is no UTF-8", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidFilename, text));
        };
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        if name.starts_with('.') || !takes(name) {
            continue;
        }
        let meta = fs::metadata(&path)?;
        if meta.is_file() {
            files.push(Found { path: text.to_owned(), len: meta.len() });
        }
    }
    Ok(files)
}

/// Whether `name` fits `pattern`.
///
/// Remembers the last `*` only: a later one can take over whatever an earlier one could.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&one) if one == '?' || one == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&rest| rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn stars_and_question_marks_fit_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("*.ndjson", "a.ndjson", true),
            ("*.ndjson", "a.json", false),
            ("*", "anything", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxcyyb", false),
            ("a*b", "ab", true),
            ("?.x", "é.x", true),
            ("?.x", ".x", false),
            ("a**", "a", true),
            ("", "", true),
            ("*aab", "aaaaab", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn folders_names_and_patterns_give_each_file_once_in_order() {
        let dir = TempDir::new();
        for name in ["b.ndjson", "a.ndjson", "c.txt", ".hidden.ndjson"] {
            fs::write(dir.path().join(name), "{}\n").unwrap();
        }
        fs::create_dir(dir.path().join("d.ndjson")).unwrap();
        let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        let names = |paths: &[String]| {
            let (found, errors) = expand(paths);
            assert!(errors.is_empty(), "{errors:?}");
            found
                .into_iter()
                .map(|found| found.path)
                .collect::<Vec<_>>()
        };
        let whole = dir.path().to_str().unwrap().to_owned();
        assert_eq!(names(&[whole]), [at("a.ndjson"), at("b.ndjson"), at("c.txt")]);
        assert_eq!(
            names(&[at("*.ndjson"), at("a.ndjson"), at(".hidden.ndjson")]),
            [at(".hidden.ndjson"), at("a.ndjson"), at("b.ndjson")]
        );
    }

    #[test]
    fn every_path_that_means_nothing_is_reported() {
        let dir = TempDir::new();
        let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        let (found, errors) = expand(&[at("no"), at("*.no"), at("no/*.x")]);
        assert_eq!((found.len(), errors.len()), (0, 3));
        for error in errors {
            assert_eq!(error.class(), Class::Config, "{error}");
        }
    }
}
