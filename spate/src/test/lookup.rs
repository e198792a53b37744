//! A lookup under test.

use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;

use spate_runtime::harness::Harness;
use spate_runtime::lookup::Loaded;

/// A lookup under test: empty until the test sets it, and never refreshed.
pub struct Lookup<'t, L> {
    harness: &'t Harness,
    index: usize,
    loads: PhantomData<fn() -> L>,
}

impl<L> fmt::Debug for Lookup<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookup")
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

impl<'t, L> Lookup<'t, L> {
    pub(super) const fn new(harness: &'t Harness, index: usize) -> Self {
        Self { harness, index, loads: PhantomData }
    }

    /// Sets what it holds; lanes see it from their next batch on, also after a crash.
    pub fn set(&self, pairs: impl IntoIterator<Item = (L::Key, L::Value)>)
    where
        L: Loaded,
        L::Key: Hash + Eq,
    {
        self.harness
            .set_lookup(self.index, pairs.into_iter().collect());
    }
}
