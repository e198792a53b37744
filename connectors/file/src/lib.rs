//! Files as source and sink for spate, one JSON row a line.
//!
//! **Sink.** One file per sealed batch, named by the batch's token: written under a temporary name,
//! synced, renamed, and the folder synced. A name that is there already counts as written, so a
//! batch that is written again makes nothing twice. A crash may leave files that begin with a dot;
//! they are no output, and readers pass over them.
//!
//! ```yaml
//! rejects:
//!   dir: out/rejects     # made if it is not there
//! ```
//!
//! **Source.** Every file is a partition, every line that is not blank a payload, and the byte its
//! line begins at is its offset. The run is bounded: it ends when the files that were there at the
//! start are read. How far each was read is kept in a checkpoint, written like the sink's files,
//! with a checksum and the copy before it; one process at a time.
//!
//! ```yaml
//! events:
//!   paths: [in/*.ndjson]      # files, folders, or names with `*` and `?`
//!   checkpoint: state         # a folder
//!   line_max: 1MiB            # a longer line stops the pipeline
//! ```
//!
//! A file may grow between runs. One that is shorter than what was read of it is an error, never a
//! jump; a last line without its end was delivered as it was, and what is added to it later is not.

mod connector;
mod durable;
mod error;
mod ndjson;
mod sink;
mod source;
#[cfg(test)]
mod testing;

pub use connector::File;
pub use ndjson::Ndjson;
pub use sink::open_sink;
