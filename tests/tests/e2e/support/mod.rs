//! What all tests share: servers, names, configurations, runs, and one way to wait.

pub(crate) mod clickhouse;
pub(crate) mod kafka;
mod process;
mod run;
mod world;
mod yaml;

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use spate_runtime::clock::Clock;

pub(crate) use process::{Process, Program};
pub(crate) use run::Run;
pub(crate) use world::World;
pub(crate) use yaml::Yaml;

/// How long a state may take to come about before a test gives up: the machine may be busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until `state` is there; `what` is said when it does not come.
#[track_caller]
pub(crate) fn until(what: &str, mut state: impl FnMut() -> bool) {
    let clock = Clock::real();
    let deadline = clock.now() + PATIENCE;
    while !state() {
        assert!(clock.now() < deadline, "waited {PATIENCE:?} in vain: {what}");
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// A number that no other test and no other run has.
pub(crate) fn random() -> u64 {
    RandomState::new().hash_one(std::process::id())
}
