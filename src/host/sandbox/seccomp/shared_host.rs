//! The system calls that are also refused to a bot that shares the host's files and network.

use nix::libc as c;
use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};

use super::super::Policy;
use super::{BackendError, CallRule, Rules, arg, dword};
use crate::host::start::RefereeLink;

/// The bits of a socket's type that are not flags.
const TYPE: u64 = 0xf;

/// `MSG_FASTOPEN`.
const FAST_OPEN: u64 = 0x2000_0000;

/// The calls that are refused to every bot that shares the host's files and network.
const ALWAYS: &[CallRule] = &[
    // No process may leave the group by which the warden identifies the bot's processes.
    (c::SYS_setsid, &[]),
    (c::SYS_setpgid, &[]),
    // Listening on an unbound TCP socket binds the socket to a port implicitly, which bypasses Landlock.
    (c::SYS_listen, &[]),
    // These objects outlive their creators, and are accessible to every process.
    (c::SYS_shmget, &[]),
    (c::SYS_msgget, &[]),
    (c::SYS_semget, &[]),
    (c::SYS_mq_open, &[]),
    // Each socket of a datagram pair, or of a raw pair, can also send to other sockets by name.
    (c::SYS_socketpair, &[arg(1, MaskedEq(TYPE), dword(c::SOCK_DGRAM))]),
    (c::SYS_socketpair, &[arg(1, MaskedEq(TYPE), dword(c::SOCK_RAW))]),
    // TCP Fast Open, available through a flag of each send call and through a socket option, bypasses Landlock.
    (c::SYS_sendto, &[arg(3, MaskedEq(FAST_OPEN), FAST_OPEN)]),
    (c::SYS_sendmsg, &[arg(2, MaskedEq(FAST_OPEN), FAST_OPEN)]),
    (c::SYS_sendmmsg, &[arg(3, MaskedEq(FAST_OPEN), FAST_OPEN)]),
    (c::SYS_setsockopt, &[arg(1, Eq, dword(c::IPPROTO_TCP)), arg(2, Eq, dword(c::TCP_FASTOPEN_CONNECT))]),
];

/// Sockets of families other than IPv4 and IPv6. Such sockets can reach services of the host.
const OTHER_FAMILIES: &[CallRule] =
    &[(c::SYS_socket, &[arg(0, Ne, dword(c::AF_INET)), arg(0, Ne, dword(c::AF_INET6))])];

/// Protocols other than TCP, such as MPTCP.
const OTHER_PROTOCOLS: &[CallRule] = &[(c::SYS_socket, &[arg(2, Ne, 0), arg(2, Ne, dword(c::IPPROTO_TCP))])];

/// Calls that would change other files and processes of the arena's user, given by name or id, and that Landlock does
/// not refuse.
const OF_THE_SAME_USER: &[CallRule] = &[
    #[cfg(target_arch = "x86_64")]
    (c::SYS_chown, &[]),
    #[cfg(target_arch = "x86_64")]
    (c::SYS_lchown, &[]),
    (c::SYS_fchown, &[]),
    (c::SYS_fchownat, &[]),
    (c::SYS_setxattr, &[]),
    (c::SYS_lsetxattr, &[]),
    (c::SYS_fsetxattr, &[]),
    (c::SYS_removexattr, &[]),
    (c::SYS_lremovexattr, &[]),
    (c::SYS_fremovexattr, &[]),
    (c::SYS_ioprio_set, &[]),
    (c::SYS_migrate_pages, &[]),
    (c::SYS_move_pages, &[]),
    // Process 0 is the caller itself.
    (c::SYS_prlimit64, &[arg(0, Ne, 0)]),
    (c::SYS_sched_setaffinity, &[arg(0, Ne, 0)]),
    (c::SYS_sched_setscheduler, &[arg(0, Ne, 0)]),
    (c::SYS_sched_setparam, &[arg(0, Ne, 0)]),
    (c::SYS_sched_setattr, &[arg(0, Ne, 0)]),
    (c::SYS_setpriority, &[arg(0, Ne, c::PRIO_PROCESS as u64)]),
    (c::SYS_setpriority, &[arg(1, Ne, 0)]),
];

/// Calls that would change the times of files. A bot may change the times of every file that it may write to, such as
/// those of a device, even if Landlock does not let it open the file. The bot's next game would see them. A build needs
/// these calls.
const TIMES: &[CallRule] = &[
    #[cfg(target_arch = "x86_64")]
    (c::SYS_utime, &[]),
    #[cfg(target_arch = "x86_64")]
    (c::SYS_utimes, &[]),
    #[cfg(target_arch = "x86_64")]
    (c::SYS_futimesat, &[]),
    (c::SYS_utimensat, &[]),
];

/// Calls that would change the modes of the user's files, even with a descriptor that is only for reading. A build needs
/// these calls: a linker uses them to make its output executable.
const MODES: &[CallRule] = &[
    #[cfg(target_arch = "x86_64")]
    (c::SYS_chmod, &[]),
    (c::SYS_fchmod, &[]),
    (c::SYS_fchmodat, &[]),
    (c::SYS_fchmodat2, &[]),
];

/// The types of the requests with which file systems change the attributes of a file, or create subvolumes, even through
/// a descriptor that is only for reading: those of ext4, which most other file systems share, of XFS, Btrfs, F2FS and
/// bcachefs.
const FILE_SYSTEM_REQUESTS: [u8; 6] = [b'f', b'v', b'X', 0x94, 0xf5, 0xbc];

/// The bits of a request that are its type.
const REQUEST_TYPE: u64 = 0xff00;

/// Adds the calls that `policy` refuses to a bot in tier C.
pub(super) fn refuse(policy: &Policy, rules: &mut Rules) -> Result<(), BackendError> {
    rules.add(ALWAYS)?;
    for kind in FILE_SYSTEM_REQUESTS {
        rules.add_one(c::SYS_ioctl, &[arg(1, MaskedEq(REQUEST_TYPE), u64::from(kind) << 8)])?;
    }
    match policy.start.contact {
        RefereeLink::HostNetwork => rules.add(OTHER_FAMILIES)?,
        // Only plain TCP is allowed: no datagrams, raw packets, netlink, vsock or named sockets. Landlock decides what
        // a TCP socket may do: connect to the seat's port or, for a program without such a port, nothing at all.
        RefereeLink::HostPort(_) | RefereeLink::Pipes | RefereeLink::OwnLoopback | RefereeLink::None => {
            rules.add(OTHER_FAMILIES)?;
            rules.add(OTHER_PROTOCOLS)?;
            for kind in (0..=15).filter(|&kind| kind != c::SOCK_STREAM) {
                rules.add_one(c::SYS_socket, &[arg(1, MaskedEq(TYPE), dword(kind))])?;
            }
        }
    }
    let is_build = policy.start.build_copy().is_some();
    if !is_build {
        rules.add(TIMES)?;
    }
    if policy.uid.is_none() {
        rules.add(OF_THE_SAME_USER)?;
        if !is_build {
            rules.add(MODES)?;
        }
    }
    Ok(())
}
