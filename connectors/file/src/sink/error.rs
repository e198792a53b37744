//! Which file errors pass by themselves.

use std::io::{self, ErrorKind};
use std::path::Path;

use spate_runtime::error::Class;
use spate_runtime::sink::{Outcome, WriteError};

/// What `error` means for a write to `path`.
pub(super) fn write_error(path: &Path, error: io::Error, outcome: Outcome) -> WriteError {
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

/// The table: what somebody must change, and everything else, which is tried again.
pub(crate) const fn class_of(kind: ErrorKind) -> Class {
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
