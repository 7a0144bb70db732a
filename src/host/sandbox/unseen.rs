//! Memory that a process does not show, where no control group counts it: what of it is refused, and how the rest is estimated.
//!
//! The resident memory of a process lacks what it has written to shared memory and does not look at: shared mappings that were
//! given back or unmapped, files without a name, shared memory and semaphores of System V. None of that is to be had then;
//! programs that ask for it get an error, as on a kernel without it. What is in sockets and pipes can't be asked for cheaply
//! either: so their number is counted, and each stands for what it may hold.

use std::fs;
use std::path::Path;

use nix::libc as c;
use seccompiler::SeccompCmpOp::{Eq, MaskedEq};
use seccompiler::{BackendError, SeccompRule};

use super::enter::{option, when};

/// How many channels a bot may have that do not count as memory.
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

/// The calls that are refused where no group counts what they make, with the arguments that make them so.
pub(super) fn refused() -> Result<Vec<(i64, Vec<SeccompRule>)>, BackendError> {
    let all = |call| (call, Vec::new());
    let shared = u64::from((c::MAP_SHARED | c::MAP_ANONYMOUS).unsigned_abs());
    // A thread with descriptors of its own has them where nobody looks.
    let (thread, files) = (0x1_0000, 0x400);
    Ok(vec![
        // MAP_SHARED_VALIDATE has the bit of MAP_SHARED, and MAP_PRIVATE does not.
        (c::SYS_mmap, vec![when(3, MaskedEq(shared), shared)?]),
        all(c::SYS_shmget),
        all(c::SYS_semget),
        all(c::SYS_msgget),
        all(c::SYS_mq_open),
        // A page in a pipe keeps all of the huge page that it is a part of.
        all(c::SYS_vmsplice),
        (c::SYS_fcntl, vec![when(1, Eq, u64::from(c::F_SETPIPE_SZ.unsigned_abs()))?]),
        (c::SYS_clone, vec![when(0, MaskedEq(thread | files), thread)?]),
    ])
}

/// The calls that are answered as by a kernel that does not have them, so that libraries do without.
pub(super) fn absent() -> [i64; 2] {
    [c::SYS_memfd_create, c::SYS_memfd_secret]
}

/// The calls that succeed and do nothing: the size of a socket's buffers is a wish, which the kernel may cut down as it likes.
pub(super) fn ignored() -> Result<Vec<(i64, Vec<SeccompRule>)>, BackendError> {
    let wish = |name: i32| option(1, c::SOL_SOCKET, u64::from(name.unsigned_abs()));
    Ok(vec![(c::SYS_setsockopt, vec![wish(c::SO_SNDBUF)?, wish(c::SO_RCVBUF)?])])
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
