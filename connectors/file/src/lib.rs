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

mod connector;
mod durable;
mod ndjson;
mod sink;
#[cfg(test)]
mod testing;

pub use connector::File;
pub use ndjson::Ndjson;
pub use sink::open_sink;
