//! Which file errors pass by themselves.

use std::io::{self, ErrorKind};
use std::path::Path;

use spate_runtime::error::{Class, SourceError};
use spate_runtime::sink::{Outcome, WriteError};

/// What `error` means for a write to `path`.
pub(crate) fn write_error(path: &Path, error: io::Error, outcome: Outcome) -> WriteError {
    let class = class_of(error.kind());
    let hint = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room; it is tried again",
        _ if class == Class::Config => "check the folder and the rights of this user",
        _ => "",
    };
    WriteError {
        class,
        outcome,
        code: error
            .raw_os_error()
            .and_then(|code| u32::try_from(code).ok()),
        text: format!("could not write file `{}`: {error}", path.display()),
        hint: hint.to_owned(),
    }
}

/// What `error` means for a source that did `what` ("open file", "write checkpoint") with `path`.
pub(crate) fn source_error(what: &str, path: &Path, error: io::Error) -> SourceError {
    let class = match class_of(error.kind()) {
        // What is not there now is not expected to come by itself.
        Class::Remote if error.kind() == ErrorKind::NotFound => Class::Config,
        class => class,
    };
    SourceError::new(class, format!("could not {what} `{}`", path.display())).because(error)
}

/// The table: what somebody must change, and everything else, which is tried again.
const fn class_of(kind: ErrorKind) -> Class {
    match kind {
        // Rights and mounts do not change while we wait.
        ErrorKind::PermissionDenied
        | ErrorKind::ReadOnlyFilesystem
        // A file stands where the folder should, or the name cannot be.
        | ErrorKind::NotADirectory
        | ErrorKind::IsADirectory
        | ErrorKind::InvalidFilename
        | ErrorKind::InvalidInput
        // A limit of the file system or of this user that a retry meets again.
        | ErrorKind::FileTooLarge => Class::Config,
        // Full disks, quotas, stale network mounts and interruptions pass.
        _ => Class::Remote,
    }
}
