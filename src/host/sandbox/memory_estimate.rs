//! An estimate of a bot's memory beyond what its processes show as resident, for where no control group counts it.
//!
//! There is no cheap way to tell what sockets and pipes hold. So they are counted, each as the most that it may hold.

use std::fs;
use std::path::Path;

/// How many of a bot's channels are not counted as memory.
const FREE: u64 = 64;

/// What a channel may hold, in bytes: the kernel's default for the buffer of a socket, 208 KiB, and more.
const CHANNEL: u64 = 256 << 10;

/// How many bytes of memory `channels` sockets and pipes may hold together.
pub(super) const fn held_by(channels: u64) -> u64 {
    channels.saturating_sub(FREE).saturating_mul(CHANNEL)
}

/// The bytes that belong to the process described in this directory of /proc and are not resident: its page tables, and what
/// is swapped out.
pub(super) fn beside_resident(dir: &Path) -> u64 {
    let status = fs::read_to_string(dir.join("status")).unwrap_or_default();
    (field(&status, "VmPTE:") + field(&status, "VmSwap:")) << 10
}

/// The number in the line of a status file that begins with this name; 0 if there is none.
fn field(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_channels_count_for_nothing_and_each_more_in_full() {
        assert_eq!([0, FREE, FREE + 3].map(held_by), [0, 0, 3 * CHANNEL]);
    }

    #[test]
    fn figures_of_a_status_file_are_found() {
        let status = "Name:\tVmPTE: 7\nFDSize:\t256\nVmPTE:\t      96 kB\nVmSwap:\t 8 kB\n";
        assert_eq!(["FDSize:", "VmPTE:", "VmSwap:", "Threads:"].map(|name| field(status, name)), [256, 96, 8, 0]);
    }
}
