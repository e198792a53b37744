//! Standard error as log lines and a progress line share it.
//!
//! On a terminal the progress line is the last one and is written over; a log line takes its place
//! and the next tick draws it again below.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use tracing_subscriber::fmt::MakeWriter;

/// Whether the progress line stands at the end of standard error now.
static LINE_SHOWN: Mutex<bool> = Mutex::new(false);

/// Back to the first column, clear the line; wrapping off while the line is written.
const CLEAR: &str = "\r\x1b[K";
const NO_WRAP: &str = "\x1b[?7l";
const WRAP: &str = "\x1b[?7h";

/// Whether people look at standard error.
pub(crate) fn is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Writes `line` over the progress line.
pub(crate) fn show(line: &str) {
    let mut shown = LINE_SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let text = format!("{CLEAR}{NO_WRAP}{line}{WRAP}");
    // A terminal that is gone is no reason to stop.
    *shown = io::stderr().lock().write_all(text.as_bytes()).is_ok();
}

/// Takes the progress line away.
pub(crate) fn clear() {
    let mut shown = LINE_SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if std::mem::take(&mut *shown) {
        *shown = io::stderr().lock().write_all(CLEAR.as_bytes()).is_err();
    }
}

/// Where log lines go: standard error, the progress line cleared first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        clear();
        io::stderr().lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}

impl MakeWriter<'_> for LogWriter {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        *self
    }
}
