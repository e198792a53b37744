//! Loading: the user's function on the I/O runtime, once before the start and then again and again.
//!
//! A shell around [`LookupCell`]. Every load is a task of its own, so a loader that panics is a
//! load that failed. The pause counts from the end of a load: a slow loader is never called twice
//! at once. A loader that never answers keeps the old snapshot; its age is a metric.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc as StdArc;
use std::time::Duration;

use super::Lookup;
use super::cell::{AnyCell, LookupCell, LookupStatus};
use crate::clock::Clock;
use crate::config::Config;
use crate::error::chain_text;
use crate::sync::Ordering;

/// Why a loader failed, as it says itself.
pub type LoadError = Box<dyn Error + Send + Sync>;

/// What a loader returns: a `Lookup<K, V>`, or a `Result` of one.
#[diagnostic::on_unimplemented(
    message = "a lookup returns `{Self}`, which is no `Lookup<K, V>` [P066]",
    label = "not a `Lookup`",
    note = "help: return `Lookup<K, V>` or `Result<Lookup<K, V>, E>`, with an error that is `Send` and `Sync`"
)]
pub trait Loaded: Send + 'static {
    /// The snapshot's keys.
    type Key: Send + Sync + 'static;
    /// The snapshot's values.
    type Value: Send + Sync + 'static;

    /// The snapshot, or why there is none.
    ///
    /// # Errors
    ///
    /// What the loader says.
    fn loaded(self) -> Result<Lookup<Self::Key, Self::Value>, LoadError>;
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> Loaded for Lookup<K, V> {
    type Key = K;
    type Value = V;

    fn loaded(self) -> Result<Self, LoadError> {
        Ok(self)
    }
}

impl<K, V, E> Loaded for Result<Lookup<K, V>, E>
where
    K: Send + Sync + 'static,
    V: Send + Sync + 'static,
    E: Into<LoadError> + Send + 'static,
{
    type Key = K;
    type Value = V;

    fn loaded(self) -> Result<Lookup<K, V>, LoadError> {
        self.map_err(Into::into)
    }
}

type Stored = Pin<Box<dyn Future<Output = Result<(), LoadError>> + Send>>;

/// A load that was begun: the future of an `async fn`, or a plain function for the blocking pool.
pub struct Loading<L>(Kind<L>);

enum Kind<L> {
    Async(Pin<Box<dyn Future<Output = L> + Send>>),
    Blocking(Box<dyn FnOnce() -> L + Send>),
}

impl<L> fmt::Debug for Loading<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loading").finish_non_exhaustive()
    }
}

impl<L: Loaded> Loading<L> {
    /// What an `async fn` returned.
    pub fn of_future(future: impl Future<Output = L> + Send + 'static) -> Self {
        Self(Kind::Async(Box::pin(future)))
    }

    /// A plain function: it may block.
    pub fn of_function(function: impl FnOnce() -> L + Send + 'static) -> Self {
        Self(Kind::Blocking(Box::new(function)))
    }

    async fn run(self) -> Result<Lookup<L::Key, L::Value>, LoadError> {
        let joined = match self.0 {
            Kind::Async(future) => tokio::runtime::Handle::current().spawn(future),
            Kind::Blocking(function) => tokio::task::spawn_blocking(function),
        };
        match joined.await {
            Ok(loaded) => loaded.loaded(),
            Err(error) if error.is_panic() => Err("its loader panicked".into()),
            Err(error) => Err(error.into()),
        }
    }
}

/// One lookup of a run: its cell, and what fills it.
pub(crate) struct Loader {
    pub(crate) name: &'static str,
    pub(crate) every: Duration,
    pub(crate) cell: StdArc<dyn AnyCell>,
    load: StdArc<dyn Fn(&Clock) -> Stored + Send + Sync>,
}

impl fmt::Debug for Loader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loader")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Loader {
    /// A lookup that is loaded by what `begin` begins.
    pub(crate) fn new<L: Loaded>(
        name: &'static str,
        every: Duration,
        config: &Config,
        begin: fn(&Config) -> Loading<L>,
    ) -> Self {
        let cell: StdArc<LookupCell<L::Key, L::Value>> = StdArc::default();
        let (config, to) = (config.clone(), StdArc::clone(&cell));
        let load = move |clock: &Clock| -> Stored {
            let (loading, cell, clock) = (begin(&config), StdArc::clone(&to), clock.clone());
            Box::pin(async move {
                let snapshot = loading.run().await?;
                cell.store(snapshot, clock.now());
                Ok(())
            })
        };
        Self { name, every, cell, load: StdArc::new(load) }
    }

    /// Whether it has a snapshot.
    pub(crate) fn is_loaded(&self) -> bool {
        self.status().loads.load(Ordering::Relaxed) > 0
    }

    fn status(&self) -> &LookupStatus {
        self.cell.status()
    }
}

/// Loads once; a failure is counted and said.
///
/// # Errors
///
/// What the loader says.
pub(crate) async fn load_once(loader: &Loader, clock: &Clock) -> Result<(), String> {
    let Err(error) = (loader.load)(clock).await else { return Ok(()) };
    let text = chain_text(&*error);
    let status = loader.status();
    let failures = status.failures.fetch_add(1, Ordering::Relaxed) + 1;
    status.last.lock().trouble = Some(text.clone());
    if failures.is_power_of_two() && status.loads.load(Ordering::Relaxed) > 0 {
        tracing::warn!(
            lookup = loader.name,
            failures,
            reason = text,
            "a lookup could not be refreshed, lanes read the snapshot they have"
        );
    }
    Err(text)
}

/// Loads again and again, a pause behind each load; ends with the runtime.
pub(crate) async fn refresh(loader: Loader, clock: Clock) {
    loop {
        tokio::time::sleep(loader.every).await;
        // Counted, shown and logged there; the next round is the answer.
        drop(load_once(&loader, &clock).await);
    }
}
