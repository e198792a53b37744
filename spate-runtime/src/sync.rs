//! One door to the primitives that loom can replace.
//!
//! A `Mutex` here never poisons for its caller: a panic while it is held is a panic of the whole
//! lane, and what it guards is kept consistent before anything that can panic.

#[cfg(not(loom))]
pub(crate) use std::{
    sync::{Arc, atomic::*},
    thread,
};

#[cfg(loom)]
pub(crate) use loom::{
    sync::{Arc, atomic::*},
    thread,
};

#[cfg(not(loom))]
use std::sync as imp;

#[cfg(loom)]
use loom::sync as imp;

/// A mutex whose `lock` gives the guard, poisoned or not.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(imp::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(imp::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> imp::MutexGuard<'_, T> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The guard, unless somebody else has it.
    pub(crate) fn try_lock(&self) -> Option<imp::MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(std::sync::TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(std::sync::TryLockError::WouldBlock) => None,
        }
    }
}
