//! Keeps memory with the process, so that a run after the first finds pages that were touched.
//!
//! A pipeline takes its memory once and runs for months; a sweep runs it a thousand times for a
//! fraction of a second, in which the first touch of each page would be a third of the time.

#![expect(unsafe_code, reason = "the C library's settings of its allocator")]

/// What is freed is kept, and all threads draw from the same.
pub(super) fn keep_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    for (setting, value) in [
        (libc::M_TRIM_THRESHOLD, i32::MAX),
        // The most that it takes.
        (libc::M_MMAP_THRESHOLD, 32 << 20),
        (libc::M_ARENA_MAX, 1),
    ] {
        // SAFETY: takes two numbers and changes the allocator's own state, under its lock.
        let taken = unsafe { libc::mallopt(setting, value) };
        assert_eq!(taken, 1, "the allocator takes setting {setting}");
    }
}
