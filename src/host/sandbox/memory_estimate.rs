//! An estimate of a bot's memory beyond the resident memory of its processes, for bots without a control group.
//!
//! There is no cheap way to find out how much data is in sockets and pipes. They are therefore counted, and each is
//! assumed to contain the maximum amount of data.

use std::fs;
use std::path::Path;

/// The number of channels that a bot may have before they count as memory.
const FREE: u64 = 64;

/// The assumed size of the data in a channel, in bytes: somewhat more than the kernel's default size of a socket
/// buffer, 208 KiB.
const CHANNEL: u64 = 256 << 10;

/// The maximum memory of `channels` sockets and pipes together, in bytes.
pub(super) const fn held_by(channels: u64) -> u64 {
    channels.saturating_sub(FREE).saturating_mul(CHANNEL)
}

/// The non-resident memory, in bytes, of the process that `dir` in /proc describes: its page tables and its swapped-out
/// memory.
pub(super) fn beside_resident(dir: &Path) -> u64 {
    let status = fs::read_to_string(dir.join("status")).unwrap_or_default();
    (field(&status, "VmPTE:") + field(&status, "VmSwap:")) << 10
}

/// The number on the line of `status` that begins with `name`; 0 if there is none.
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
