//! The order in which the kernel kills processes when memory runs out.

use std::fs;

/// By how much a program's `oom_score_adj` exceeds the arena's. The kernel adds this many thousandths of the memory that
/// can be used to what the process holds, and kills the process with the largest sum; see `proc_pid_oom_score_adj(5)`.
const ABOVE_ARENA: i32 = 500;

/// The highest `oom_score_adj`.
const HIGHEST: i32 = 1000;

/// Makes the kernel kill `process`, a directory in `/proc`, and the processes that it starts from now on rather than the
/// arena. This process has the arena's score.
pub(crate) fn raise(process: &str) {
    let own = fs::read_to_string("/proc/self/oom_score_adj").ok().and_then(|own| own.trim().parse::<i32>().ok());
    let score = (own.unwrap_or_default() + ABOVE_ARENA).min(HIGHEST);
    // This fails if the process has ended, or without a writable /proc. Then the kernel decides as if nothing was said.
    let _ = fs::write(format!("{process}/oom_score_adj"), score.to_string());
}
