//! The handle of a running pipeline.

use std::sync::Arc as StdArc;
use std::thread::JoinHandle;

use super::controller::{Ended, Requests};
use super::status::SharedStatus;

/// A pipeline that runs on threads of its own.
#[derive(Debug)]
pub struct Running {
    controller: Option<JoinHandle<Ended>>,
    handle: Handle,
}

/// Reaches a running pipeline from anywhere; cheap to clone.
#[derive(Clone, Debug)]
pub struct Handle {
    requests: StdArc<Requests>,
    status: SharedStatus,
}

impl Handle {
    /// Asks for a drain: stop reading, hand over, seal, write, commit, end. Idempotent.
    pub fn drain(&self) {
        self.requests.drain();
    }

    /// Asks to give up at once what is not durable. Idempotent.
    pub fn abort(&self) {
        self.requests.abort();
    }

    /// What the pipeline shows.
    #[must_use]
    pub const fn status(&self) -> &SharedStatus {
        &self.status
    }
}

impl Running {
    pub(crate) fn new(
        controller: JoinHandle<Ended>,
        requests: StdArc<Requests>,
        status: SharedStatus,
    ) -> Self {
        Self { controller: Some(controller), handle: Handle { requests, status } }
    }

    /// A handle for other threads.
    #[must_use]
    pub const fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Whether the pipeline has ended: `wait` returns at once.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.controller.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits until the pipeline has ended.
    ///
    /// # Panics
    ///
    /// With the controller's own panic: a broken invariant, a bug of the engine.
    #[must_use]
    pub fn wait(mut self) -> Ended {
        let controller = self.controller.take().expect("taken here only");
        match controller.join() {
            Ok(ended) => ended,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.controller.is_some() {
            // Nobody waits for it any more: end in order, on its own threads.
            self.handle.drain();
        }
    }
}
