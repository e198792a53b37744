//! The bytes of one frame while rows are appended to them.
//!
//! Lane thread only. Memory comes from the pool in classes (4 KiB, then times four), so that many
//! small frames pin little and a full one allocates nothing in steady state; the first byte takes
//! it. Growing copies what is there into the next class and gives the smaller one back.
//!
//! ```text
//! reserve(n)            room for n more bytes: one compare, or the cold path to the pool
//! put_*  / extend       plain stores behind a reserve of their own
//! ```

#![expect(unsafe_code, reason = "plain stores into reserved room; measured by the encoder bench")]

use crate::sync::Arc;

use super::pool::Pool;

/// Bytes of encoded rows, with room from a [`Pool`].
#[derive(Debug)]
pub struct FrameBuf {
    bytes: Vec<u8>,
    pool: Arc<Pool>,
    /// Bytes to have room for from the start, as long as the budget allows.
    start: usize,
}

impl FrameBuf {
    /// Holds no memory yet; the first byte takes the smallest class of `pool` that fits.
    #[must_use]
    pub const fn new(pool: Arc<Pool>) -> Self {
        Self { bytes: Vec::new(), pool, start: 0 }
    }

    /// One of the same pool, whose first byte takes room for `start` bytes if the budget has it.
    pub(crate) fn next(&self, start: usize) -> Self {
        Self { bytes: Vec::new(), pool: Arc::clone(&self.pool), start }
    }

    /// Bytes written so far.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing was written yet.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// What the budget counts: bytes of memory held.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// The bytes written so far.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// Cuts back to `len` bytes; does nothing if there are fewer.
    pub fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
    }

    /// Makes room for `more` further bytes.
    #[inline]
    pub fn reserve(&mut self, more: usize) {
        if self.bytes.capacity() - self.bytes.len() < more {
            self.grow(more);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) {
        let room = self
            .bytes
            .len()
            .checked_add(more)
            .expect("a row fits the address space");
        let wish = if self.bytes.capacity() == 0 { self.start } else { 0 };
        let mut bigger = self.pool.take_within_budget(room, wish);
        bigger.extend_from_slice(&self.bytes);
        self.pool.give(std::mem::replace(&mut self.bytes, bigger));
    }

    /// Appends one byte.
    #[inline]
    pub fn push(&mut self, byte: u8) {
        self.reserve(1);
        self.bytes.push(byte);
    }

    /// Appends `bytes`.
    #[inline]
    pub fn extend(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends through `write`, which gets at least `room` bytes and returns how many it wrote.
    ///
    /// # Safety
    ///
    /// `write` initialises the first n of the bytes it is given and returns n, at most `room`.
    #[inline]
    pub unsafe fn write_within(&mut self, room: usize, write: impl FnOnce(*mut u8) -> usize) {
        self.reserve(room);
        let len = self.bytes.len();
        // SAFETY: `reserve` made room for `room` bytes behind `len`, within one allocation.
        let written = write(unsafe { self.bytes.as_mut_ptr().add(len) });
        debug_assert!(written <= room, "INV-L3: wrote {written} of {room} reserved bytes");
        // SAFETY: the caller's contract: `written` bytes behind `len` are initialised.
        unsafe { self.bytes.set_len(len + written) };
    }
}

impl Drop for FrameBuf {
    fn drop(&mut self) {
        self.pool.give(std::mem::take(&mut self.bytes));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Holds INV-L3: an encoder that lies about its bound is found in every debug build.
    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "INV-L3: wrote 2 of 1 reserved bytes")]
    fn writing_more_than_was_reserved_is_a_bug() {
        let mut buf = FrameBuf::new(Pool::new(1 << 20));
        // SAFETY: the smallest class has room for both bytes, and both are written.
        unsafe {
            buf.write_within(1, |to| {
                to.write_bytes(0, 2);
                2
            });
        }
    }
}
