//! The one place that reads a clock.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};
pub use tokio::time::{Instant, sleep_until, timeout_at};

/// Now, on a monotonic clock; under a test's paused time, that time.
pub fn now() -> Instant {
    Instant::now()
}

/// How long the machine has been suspended since it was started. Only differences mean anything: between two readings, it
/// grows by as much as the machine slept meanwhile.
pub fn suspended() -> Duration {
    let reading = |clock| {
        let Timespec { tv_sec, tv_nsec } = clock_gettime(clock);
        Duration::new(u64::try_from(tv_sec).unwrap_or(0), u32::try_from(tv_nsec).unwrap_or(0))
    };
    // This one first, so that what passes between the two readings does not look like sleep.
    let boottime = reading(ClockId::Boottime);
    boottime.saturating_sub(reading(ClockId::Monotonic))
}

/// Today's date, UTC, as game logs have it: `2026.11.21`.
pub fn today() -> String {
    jiff::Timestamp::now().strftime("%Y.%m.%d").to_string()
}
