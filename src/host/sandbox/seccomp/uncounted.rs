//! The system calls that are also refused if no control group counts a bot's memory: those that create memory not
//! attributed to a process.
//!
//! The resident memory of a process does not include data in shared memory that is not mapped at the moment: released
//! or unmapped shared mappings, unnamed files, System V shared memory and semaphores. A bot is therefore denied all of
//! these. Programs that request them get an error, as on a kernel that does not support them.

use nix::libc as c;
use seccompiler::SeccompCmpOp::{Eq, MaskedEq};

use super::{CallRule, arg, dword};

const SHARED: u64 = dword(c::MAP_SHARED | c::MAP_ANONYMOUS);

/// `CLONE_THREAD` and `CLONE_FILES`. A thread created without `CLONE_FILES` has its own descriptors, which the watch
/// does not examine.
const THREAD: u64 = 0x1_0000;
const FILES: u64 = 0x400;

/// The calls that are refused.
pub(super) const REFUSED: &[CallRule] = &[
    // MAP_SHARED_VALIDATE has the bit of MAP_SHARED, and MAP_PRIVATE does not.
    (c::SYS_mmap, &[arg(3, MaskedEq(SHARED), SHARED)]),
    (c::SYS_shmget, &[]),
    (c::SYS_semget, &[]),
    (c::SYS_msgget, &[]),
    (c::SYS_mq_open, &[]),
    // A page in a pipe pins the entire huge page that contains it.
    (c::SYS_vmsplice, &[]),
    (c::SYS_fcntl, &[arg(1, Eq, dword(c::F_SETPIPE_SZ))]),
    (c::SYS_clone, &[arg(0, MaskedEq(THREAD | FILES), THREAD)]),
];

/// The calls that fail as if the kernel did not have them, so that libraries fall back to other calls.
pub(super) const ABSENT: &[CallRule] = &[(c::SYS_memfd_create, &[]), (c::SYS_memfd_secret, &[])];

/// The calls that succeed without doing anything. They set the size of a socket's buffers, which is only a hint that
/// the kernel may ignore.
pub(super) const IGNORED: &[CallRule] = &[
    (c::SYS_setsockopt, &[arg(1, Eq, dword(c::SOL_SOCKET)), arg(2, Eq, dword(c::SO_SNDBUF))]),
    (c::SYS_setsockopt, &[arg(1, Eq, dword(c::SOL_SOCKET)), arg(2, Eq, dword(c::SO_RCVBUF))]),
];
