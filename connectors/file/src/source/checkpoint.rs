//! How far every file was read, kept in a file of its own.
//!
//! Controller thread, blocking. Written like the sink's files, and the copy before it is kept, so a
//! crash at any point leaves one that is whole. What is damaged is never taken for what is missing:
//!
//! | current | previous | outcome |
//! |---|---|---|
//! | whole | any | current |
//! | missing | missing | the beginning |
//! | missing or damaged | whole | previous, and a warning: some records come again |
//! | damaged | missing or damaged | an error that names the file |
//! | missing | damaged | the same |
//!
//! ```text
//! spate checkpoint 1
//! 4096<tab>spate1;i=9f86d081884c7d65<tab>in/orders.ndjson
//! end 1 6f3a2b1c00d4e5f6                 lines, XXH64 of all bytes before this line
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::{self, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use spate_runtime::chain::shard_key::ShardKey;
use spate_runtime::error::{Class, SourceError};
use spate_runtime::id::Watermark;
use spate_runtime::lane::source::Note;

use crate::durable::{Unfinished, make_dir, sync_dir};
use crate::error::source_error;

/// By path: the first byte that is not known to be durable everywhere, and the note.
pub(super) type Marks = BTreeMap<String, (Watermark, Note)>;

/// The checkpoint of one source.
#[derive(Debug)]
pub(super) struct Checkpoint {
    dir: PathBuf,
    name: String,
    /// Held while this process writes it.
    lock: Option<fs::File>,
}

/// What was read, and from where.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) marks: Marks,
    /// Why the previous copy was taken, for the operator.
    pub(super) warning: Option<String>,
}

/// One copy on the disk.
enum Copy {
    Whole(Marks),
    Missing,
    Damaged(Damage),
}

/// What is wrong with a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum Damage {
    #[error("its last line is missing")]
    Cut,
    #[error("its checksum does not fit its content")]
    Checksum,
    #[error("it is of another version, or no checkpoint at all")]
    Foreign,
}

impl Checkpoint {
    pub(super) fn new(dir: PathBuf, source: &str) -> Self {
        let name: String = source
            .chars()
            .map(|char| if char.is_alphanumeric() || char == '-' { char } else { '_' })
            .collect();
        Self { dir, name, lock: None }
    }

    /// Makes sure that no other process writes this checkpoint.
    pub(super) fn lock(&mut self) -> Result<(), SourceError> {
        let path = self.dir.join(format!("{}.lock", self.name));
        let opened = make_dir(&self.dir)
            .and_then(|()| fs::File::options().create(true).append(true).open(&path));
        let file = opened.map_err(|error| source_error("open", &path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let text = format!("checkpoint `{}` is in use", self.current().display());
                return Err(SourceError::new(Class::Config, text)
                    .with_hint("another process reads these files; stop it first"));
            }
            Err(TryLockError::Error(error)) => return Err(source_error("lock", &path, error)),
        }
        self.lock = Some(file);
        Ok(())
    }

    /// Reads it, as the module's table says.
    pub(super) fn load(&self) -> Result<Loaded, SourceError> {
        let (current, previous) = (self.current(), self.previous());
        let why = match read(&current)? {
            Copy::Whole(marks) => return Ok(Loaded { marks, warning: None }),
            Copy::Missing => None,
            Copy::Damaged(damage) => Some(damage),
        };
        match (why, read(&previous)?) {
            (None, Copy::Missing) => Ok(Loaded { marks: Marks::new(), warning: None }),
            (why, Copy::Whole(marks)) => {
                let why = why.map_or_else(|| "it is missing".to_owned(), |why| why.to_string());
                let warning = format!(
                    "checkpoint `{}` cannot be read ({why}): going on from the copy before it, \
                     so some records come again",
                    current.display()
                );
                Ok(Loaded { marks, warning: Some(warning) })
            }
            (Some(why), _) => Err(damaged(&current, why)),
            (None, Copy::Damaged(why)) => Err(damaged(&previous, why)),
        }
    }

    /// Writes it; the one before stays as the previous copy.
    pub(super) fn store(&self, marks: &Marks) -> Result<(), SourceError> {
        let current = self.current();
        let text = encode(marks);
        let write = || {
            let unfinished =
                Unfinished::write(&self.dir, &self.name, [text.as_bytes()].into_iter())?;
            match fs::rename(&current, self.previous()) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            unfinished.rename(&current)?;
            sync_dir(&self.dir)
        };
        write().map_err(|error| source_error("write checkpoint", &current, error))
    }

    fn current(&self) -> PathBuf {
        self.dir.join(format!("{}.checkpoint", self.name))
    }

    fn previous(&self) -> PathBuf {
        self.dir.join(format!("{}.checkpoint.previous", self.name))
    }
}

fn damaged(path: &Path, damage: Damage) -> SourceError {
    SourceError::new(Class::Config, format!("checkpoint `{}` is damaged", path.display()))
        .because(damage)
        .with_hint("restore it, or delete it and its previous copy to read all files again")
}

fn read(path: &Path) -> Result<Copy, SourceError> {
    match fs::read(path) {
        Ok(bytes) => Ok(decode(&bytes).map_or_else(Copy::Damaged, Copy::Whole)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Copy::Missing),
        Err(error) => Err(source_error("read checkpoint", path, error)),
    }
}

const HEADER: &str = "spate checkpoint 1\n";

fn encode(marks: &Marks) -> String {
    let mut text = HEADER.to_owned();
    for (path, (watermark, Note(note))) in marks {
        let line = format_args!("{watermark}\t{}\t{}\n", escape(note), escape(path)).to_string();
        text.push_str(&line);
    }
    let checksum = text.shard_hash();
    writeln!(text, "end {} {checksum:016x}", marks.len()).expect("writing to a string");
    text
}

fn decode(bytes: &[u8]) -> Result<Marks, Damage> {
    let text = std::str::from_utf8(bytes).or(Err(Damage::Checksum))?;
    if !text.starts_with(HEADER) && !HEADER.starts_with(text) {
        return Err(Damage::Foreign);
    }
    let (body, end) = text
        .strip_suffix('\n')
        .and_then(|text| text.rsplit_once('\n'))
        .ok_or(Damage::Cut)?;
    let body = &text[..=body.len()];
    let (count, checksum) = end
        .strip_prefix("end ")
        .and_then(|end| end.split_once(' '))
        .ok_or(Damage::Cut)?;
    if checksum != format!("{:016x}", body.shard_hash()) {
        return Err(Damage::Checksum);
    }
    let lines = body.lines().skip(1).map(decode_line);
    let marks = lines.collect::<Option<Marks>>().ok_or(Damage::Foreign)?;
    if count != marks.len().to_string() {
        return Err(Damage::Checksum);
    }
    Ok(marks)
}

fn decode_line(line: &str) -> Option<(String, (Watermark, Note))> {
    let mut fields = line.split('\t');
    let watermark = fields.next()?.parse().ok()?;
    let note = unescape(fields.next()?)?;
    let path = unescape(fields.next()?)?;
    fields
        .next()
        .is_none()
        .then_some((path, (Watermark(watermark), Note(note))))
}

/// Keeps a field on its line: line breaks, tabs and the sign itself as `%` and two digits.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '%' | '\t' | '\n' | '\r' => {
                write!(escaped, "%{:02x}", u32::from(char)).expect("writing to a string");
            }
            _ => escaped.push(char),
        }
    }
    escaped
}

fn unescape(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut plain = parts.next()?.to_owned();
    for part in parts {
        let (code, rest) = part.split_at_checked(2)?;
        plain.push(char::from(u8::from_str_radix(code, 16).ok()?));
        plain.push_str(rest);
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::TempDir;

    fn marks(entries: &[(&str, u64)]) -> Marks {
        let mark = |&(path, at): &(&str, u64)| {
            (path.to_owned(), (Watermark(at), Note("spate1;i=00000000000000ff".to_owned())))
        };
        entries.iter().map(mark).collect()
    }

    fn checkpoint(dir: &TempDir) -> Checkpoint {
        let mut checkpoint = Checkpoint::new(dir.path().join("state"), "events");
        checkpoint.lock().unwrap();
        checkpoint
    }

    #[test]
    fn what_was_stored_is_loaded_and_nothing_else_is_left() {
        let dir = TempDir::new();
        let checkpoint = checkpoint(&dir);
        assert!(checkpoint.load().unwrap().marks.is_empty());
        for at in [1, 2, 3] {
            let stored = marks(&[("in/a", at), ("in/b c", 7)]);
            checkpoint.store(&stored).unwrap();
            let loaded = checkpoint.load().unwrap();
            assert_eq!((loaded.marks, loaded.warning), (stored, None));
        }
        let mut names: Vec<_> = fs::read_dir(dir.path().join("state"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["events.checkpoint", "events.checkpoint.previous", "events.lock"]);
    }

    /// Truncated to nothing, to half, and with one bit flipped anywhere (R141).
    #[test]
    fn r141_a_damaged_copy_is_replaced_by_the_one_before_or_named() {
        let dir = TempDir::new();
        let checkpoint = checkpoint(&dir);
        checkpoint.store(&marks(&[("in/a", 1)])).unwrap();
        checkpoint.store(&marks(&[("in/a", 2)])).unwrap();
        let (current, previous) = (checkpoint.current(), checkpoint.previous());
        let whole = fs::read(&current).unwrap();
        let before = fs::read(&previous).unwrap();

        let mut damages = vec![Vec::new(), whole[..whole.len() / 2].to_vec()];
        damages.extend((1..whole.len()).map(|cut| whole[..cut].to_vec()));
        damages.extend((0..whole.len()).map(|at| {
            let mut flipped = whole.clone();
            flipped[at] ^= 4;
            flipped
        }));
        for damage in damages {
            let shown = String::from_utf8_lossy(&damage).into_owned();
            fs::write(&current, &damage).unwrap();
            fs::write(&previous, &before).unwrap();
            let loaded = checkpoint.load().unwrap();
            assert_eq!(loaded.marks, marks(&[("in/a", 1)]), "{shown}");
            assert!(loaded.warning.is_some());

            fs::remove_file(&previous).unwrap();
            let error = checkpoint.load().unwrap_err();
            assert!(error.to_string().contains("events.checkpoint` is damaged"), "{error}");
            fs::write(&previous, &damage).unwrap();
            assert!(checkpoint.load().is_err(), "{shown}");
        }
    }

    #[test]
    fn a_crash_between_the_renames_goes_on_from_the_copy_before() {
        let dir = TempDir::new();
        let checkpoint = checkpoint(&dir);
        checkpoint.store(&marks(&[("in/a", 1)])).unwrap();
        fs::rename(checkpoint.current(), checkpoint.previous()).unwrap();
        let loaded = checkpoint.load().unwrap();
        assert_eq!(loaded.marks, marks(&[("in/a", 1)]));
        assert!(loaded.warning.unwrap().contains("it is missing"));
    }

    #[test]
    fn another_process_is_kept_out() {
        let dir = TempDir::new();
        let first = checkpoint(&dir);
        let error = Checkpoint::new(dir.path().join("state"), "events")
            .lock()
            .unwrap_err();
        assert!(error.to_string().ends_with("is in use"), "{error}");
        Checkpoint::new(dir.path().join("state"), "others")
            .lock()
            .unwrap();
        drop(first);
        checkpoint(&dir);
    }

    proptest! {
        #[test]
        fn any_path_and_note_read_back(
            entries in prop::collection::btree_map(any::<String>(), (any::<u64>(), any::<String>()), 0..8),
        ) {
            let marks: Marks = entries
                .into_iter()
                .map(|(path, (at, note))| (path, (Watermark(at), Note(note))))
                .collect();
            prop_assert_eq!(decode(encode(&marks).as_bytes()), Ok(marks));
        }

        #[test]
        fn any_bytes_are_damage(bytes in any::<Vec<u8>>()) {
            prop_assert!(decode(&bytes).is_err());
        }
    }
}
