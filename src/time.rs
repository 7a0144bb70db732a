//! The one place that reads a clock.

pub use tokio::time::{Instant, sleep_until, timeout_at};

/// Now, on a monotonic clock; under a test's paused time, that time.
pub fn now() -> Instant {
    Instant::now()
}

/// Today's date, UTC, as game logs have it: `2026.11.21`.
pub fn today() -> String {
    jiff::Timestamp::now().strftime("%Y.%m.%d").to_string()
}
