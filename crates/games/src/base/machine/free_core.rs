//! Whether the machine currently has a free core.

use std::fs;
use std::num::NonZeroUsize;
use std::thread::available_parallelism;

/// Returns whether the number of threads in the whole system that are running or ready to run is lower than the number
/// of cores; true if the system does not report this.
pub fn has_free_core() -> bool {
    let cores = available_parallelism().map_or(1, NonZeroUsize::get);
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    // The thread that reads the file is itself running.
    ready_threads(&text).is_none_or(|ready| ready.saturating_sub(1) < cores)
}

/// The number of threads that are running or ready to run, from the text of /proc/loadavg.
fn ready_threads(text: &str) -> Option<usize> {
    text.split_whitespace().nth(3)?.split_once('/')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threads_that_are_ready_stand_before_all_threads() {
        assert_eq!(ready_threads("4.06 2.31 2.97 17/90 27511\n"), Some(17));
        for text in ["", "4.06 2.31 2.97", "4.06 2.31 2.97 17 27511"] {
            assert_eq!(ready_threads(text), None, "{text}");
        }
    }
}
