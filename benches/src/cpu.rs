//! CPU time: what a side costs, whoever else is busy on the machine.

#![expect(unsafe_code, reason = "the C library's clocks")]

use std::time::Duration;

/// CPU time of this process so far, all threads.
#[must_use]
pub fn of_all_threads() -> Duration {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// CPU time of the calling thread so far.
#[must_use]
pub fn thread() -> Duration {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn read(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for one `timespec` and outlives the call.
    let code = unsafe { libc::clock_gettime(clock, &raw mut time) };
    assert_eq!(code, 0, "this system has no such clock");
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or(0), nanos.unwrap_or(0))
}
