//! What keeps a bot to its own where it shares the host's files and network: Landlock and seccomp alone.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
use nix::libc as c;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

use super::root::SYSTEM;
use super::watch::all_processes;
use super::{Policy, enter};
use crate::base::printable::Shown as _;

type Error = Box<dyn std::error::Error>;

/// Reads and runs what the policy names, writes to its scratch space, and connects to its seat's port. Nothing that can't be
/// enforced is left out silently but the rarest rights to files.
pub(super) fn landlock(policy: &Policy) -> Result<(), Error> {
    // 4 (Linux 6.7) has TCP, 6 (Linux 6.12) the signals.
    let abi = ABI::V6;
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))?
        .scope(Scope::AbstractUnixSocket)?
        .set_compatibility(CompatLevel::HardRequirement);
    if !has_network(policy) {
        ruleset = ruleset.handle_access(AccessNet::from_all(abi))?;
    }
    // A user id of its own keeps a bot from signalling others, too.
    if policy.uid.is_some() {
        ruleset = ruleset.set_compatibility(CompatLevel::BestEffort);
    }
    let mut ruleset = ruleset.scope(Scope::Signal)?.create()?.set_compatibility(CompatLevel::BestEffort);
    let read = AccessFs::from_read(abi);
    for path in SYSTEM.map(Path::new).into_iter().chain([Path::new("/proc")]) {
        ruleset = if path.exists() { allow(ruleset, path, read)? } else { ruleset };
    }
    for path in &policy.read {
        // What a build is shown of the machine's tools is more than it needs.
        if policy.workplace.is_some() && open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).is_err() {
            continue;
        }
        ruleset = allow(ruleset, path, read)?;
    }
    for (name, access) in enter::devices(policy, abi) {
        ruleset = allow(ruleset, &Path::new("/dev").join(name), access)?;
    }
    ruleset = allow(ruleset, &policy.root, AccessFs::from_all(abi))?;
    if let Some(workplace) = &policy.workplace {
        ruleset = allow(ruleset, &workplace.copy, AccessFs::from_all(abi))?;
    }
    if let Some(port) = policy.port {
        ruleset = ruleset.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?;
    }
    let status = ruleset.restrict_self()?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err("the kernel does not enforce it".into());
    }
    Ok(())
}

/// Whether it may use the host's network, as a build may that was allowed to.
fn has_network(policy: &Policy) -> bool {
    policy.workplace.as_ref().is_some_and(|workplace| workplace.network)
}

fn allow(ruleset: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> Result<RulesetCreated, Error> {
    let opened = open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).map_err(|error| {
        let hint = match error {
            Errno::ACCESS => " (the directories above it are not open to the bot's user)",
            _ => "",
        };
        format!("open `{}`: {}{hint}", path.shown(), io::Error::from(error))
    })?;
    Ok(ruleset.add_rule(PathBeneath::new(opened, access))?)
}

/// How many processes and threads the user has now, whose number `RLIMIT_NPROC` bounds.
pub(super) fn processes_of(uid: u32) -> u64 {
    let own = all_processes().filter(|pid| fs::metadata(format!("/proc/{pid}")).is_ok_and(|of| of.uid() == uid));
    own.map(|pid| fs::read_dir(format!("/proc/{pid}/task")).map_or(0, |threads| threads.count() as u64)).sum()
}

/// A comparison of an argument that the kernel takes as 32 bits.
fn argument(number: u8, operator: SeccompCmpOp, value: i32) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(number, SeccompCmpArgLen::Dword, operator, u64::from(value.cast_unsigned()))
}

/// The system calls that are refused beside those that every bot is refused, with the arguments that make them so; all
/// arguments where there are none.
pub(super) fn refused(policy: &Policy) -> Result<BTreeMap<i64, Vec<SeccompRule>>, Error> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let mut refuse = |call: i64, conditions: Vec<SeccompCondition>| -> Result<(), Error> {
        let all = rules.entry(call).or_default();
        if !conditions.is_empty() {
            all.push(SeccompRule::new(conditions)?);
        }
        Ok(())
    };
    for call in [
        // Nobody leaves the group by which the warden knows its own.
        c::SYS_setsid,
        c::SYS_setpgid,
        // TCP listeners bind themselves to a port, past Landlock.
        c::SYS_listen,
        // What outlives its makers, and is everybody's.
        c::SYS_shmget,
        c::SYS_msgget,
        c::SYS_semget,
        c::SYS_mq_open,
    ] {
        refuse(call, vec![])?;
    }
    if has_network(policy) {
        // Services of the host are reached by the other families.
        refuse(c::SYS_socket, vec![argument(0, Ne, c::AF_INET)?, argument(0, Ne, c::AF_INET6)?])?;
    } else if policy.port.is_some() {
        sockets(&mut refuse)?;
    } else {
        refuse(c::SYS_socket, vec![])?;
    }
    // Pairs of datagram sockets (type 2, and 3, which is the same to them) can be sent elsewhere by name.
    for kind in [c::SOCK_DGRAM, c::SOCK_RAW] {
        refuse(c::SYS_socketpair, vec![argument(1, MaskedEq(0xf), kind)?])?;
    }
    if policy.uid.is_none() {
        // The user's other files and processes are not to be changed by name or number either, which Landlock leaves open.
        if policy.workplace.is_none() {
            modes_and_times(&mut refuse)?;
        }
        for call in [
            #[cfg(target_arch = "x86_64")]
            c::SYS_chown,
            #[cfg(target_arch = "x86_64")]
            c::SYS_lchown,
            c::SYS_fchown,
            c::SYS_fchownat,
            c::SYS_setxattr,
            c::SYS_lsetxattr,
            c::SYS_fsetxattr,
            c::SYS_removexattr,
            c::SYS_lremovexattr,
            c::SYS_fremovexattr,
            c::SYS_ioprio_set,
            c::SYS_migrate_pages,
            c::SYS_move_pages,
        ] {
            refuse(call, vec![])?;
        }
        for call in [
            c::SYS_prlimit64,
            c::SYS_sched_setaffinity,
            c::SYS_sched_setscheduler,
            c::SYS_sched_setparam,
            c::SYS_sched_setattr,
        ] {
            refuse(call, vec![argument(0, Ne, 0)?])?;
        }
        for (number, own) in [(0, c::PRIO_PROCESS.cast_signed()), (1, 0)] {
            refuse(c::SYS_setpriority, vec![argument(number, Ne, own)?])?;
        }
    }
    // Fast open connects past Landlock: by a flag of each way to send, and by an option (of protocol 6, TCP).
    for (call, flags) in [(c::SYS_sendto, 3), (c::SYS_sendmsg, 2), (c::SYS_sendmmsg, 3)] {
        refuse(call, vec![argument(flags, MaskedEq(0x2000_0000), 0x2000_0000)?])?;
    }
    refuse(c::SYS_setsockopt, vec![argument(1, Eq, c::IPPROTO_TCP)?, argument(2, Eq, c::TCP_FASTOPEN_CONNECT)?])?;
    Ok(rules)
}

/// Refuses to change modes and times of files by name. A build can't do without: a linker makes its output executable so.
fn modes_and_times(refuse: &mut impl FnMut(i64, Vec<SeccompCondition>) -> Result<(), Error>) -> Result<(), Error> {
    for call in [
        #[cfg(target_arch = "x86_64")]
        c::SYS_chmod,
        #[cfg(target_arch = "x86_64")]
        c::SYS_utime,
        #[cfg(target_arch = "x86_64")]
        c::SYS_utimes,
        #[cfg(target_arch = "x86_64")]
        c::SYS_futimesat,
        c::SYS_fchmodat,
        c::SYS_fchmodat2,
    ] {
        refuse(call, vec![])?;
    }
    // Without a name it is about an open file.
    refuse(c::SYS_utimensat, vec![SeccompCondition::new(1, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?])
}

/// Refuses all sockets but those of plain TCP: not MPTCP, datagrams, raw packets, netlink, vsock, nor those with a name.
fn sockets(refuse: &mut impl FnMut(i64, Vec<SeccompCondition>) -> Result<(), Error>) -> Result<(), Error> {
    use SeccompCmpOp::{MaskedEq, Ne};
    refuse(c::SYS_socket, vec![argument(0, Ne, c::AF_INET)?, argument(0, Ne, c::AF_INET6)?])?;
    // The type's upper bits are flags.
    for kind in (0..16).filter(|&kind| kind != c::SOCK_STREAM) {
        refuse(c::SYS_socket, vec![argument(1, MaskedEq(0xf), kind)?])?;
    }
    refuse(c::SYS_socket, vec![argument(2, Ne, 0)?, argument(2, Ne, c::IPPROTO_TCP)?])
}
