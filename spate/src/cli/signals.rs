//! SIGINT and SIGTERM: the first drains, the second ends at once.
//!
//! A thread of its own waits for signals, so that neither lanes nor writers can keep one from being
//! heard (R123). After the second the run has a moment to end by itself and to report; then the
//! process ends, whatever it waits for.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::{Handle as SignalsHandle, Signals};
use spate_runtime::pipeline::Handle;

use super::EXIT_NOT_DRAINED;

/// How long a run that was told to end at once may take for it.
const AT_ONCE: Duration = Duration::from_secs(1);

/// Signals that were registered and are not served yet: none is lost from here on.
pub(crate) struct Caught(Signals);

/// Serves signals until it is dropped.
pub(crate) struct Served {
    signals: SignalsHandle,
    ended: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Caught {
    /// Registers for both signals.
    pub(crate) fn register() -> io::Result<Self> {
        Signals::new([SIGINT, SIGTERM]).map(Self)
    }

    /// Lets signals drain and abort a run.
    pub(crate) fn serve(self, handle: Handle) -> io::Result<Served> {
        let Self(mut signals) = self;
        let (ended, end) = mpsc::channel();
        let signals_handle = signals.handle();
        let thread = std::thread::Builder::new()
            .name("spate-signals".to_owned())
            .spawn(move || serve(&mut signals, &handle, &end))?;
        Ok(Served { signals: signals_handle, ended: Some(ended), thread: Some(thread) })
    }
}

fn serve(signals: &mut Signals, handle: &Handle, end: &mpsc::Receiver<()>) {
    let mut signals = signals.forever();
    if signals.next().is_none() {
        return;
    }
    tracing::info!("draining; a second signal ends at once");
    handle.drain();
    if signals.next().is_none() {
        return;
    }
    tracing::warn!("ending at once: what is not durable will be read again");
    handle.abort();
    if end.recv_timeout(AT_ONCE) == Err(RecvTimeoutError::Timeout) {
        exit();
    }
}

#[expect(clippy::exit, reason = "a second signal ends the process whatever it waits for")]
fn exit() -> ! {
    std::process::exit(i32::from(EXIT_NOT_DRAINED))
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.ended.take());
        self.signals.close();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the signal thread panicked");
        }
    }
}
