//! The system calls that are denied to a bot.
//!
//! Each call is refused either always or only with certain arguments. The two rooms below list further calls that are
//! refused in some cases.
//!
//! | room | contents |
//! | --- | --- |
//! | `shared_host` | the calls refused to a bot that shares the host's files and network |
//! | `uncounted` | the calls refused to a bot whose memory is not counted by a control group |

mod shared_host;
mod uncounted;

use std::collections::BTreeMap;

use nix::libc as c;
use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

use super::{Policy, Tier};

type FilterError = Box<dyn std::error::Error>;

/// A call, and the conditions on its arguments under which the rule applies. Without conditions, the rule always
/// applies.
type CallRule = (i64, &'static [Condition]);

/// A condition on one argument.
struct Condition {
    argument: u8,
    /// How much of the argument the kernel uses.
    width: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
}

/// A condition on an argument whose lower 32 bits are used by the kernel.
const fn arg(argument: u8, operator: SeccompCmpOp, value: u64) -> Condition {
    Condition { argument, width: SeccompCmpArgLen::Dword, operator, value }
}

/// A system constant as an argument whose lower 32 bits are used by the kernel.
const fn dword(value: i32) -> u64 {
    value.cast_unsigned() as u64
}

/// `F_SETSIG`, which sets the signal that is sent when a descriptor becomes ready.
const F_SETSIG: i32 = 10;

/// `F_SETDELEG`, which exists since Linux 6.19 and is not yet defined in libc.
const F_SETDELEG: i32 = 1040;

/// `CLONE_NEWUSER`.
const NEW_USER: u64 = 0x1000_0000;

/// `MAP_HUGETLB`.
const HUGE: u64 = 0x4_0000;

/// Calls that no player needs and that reach into the kernel, into other processes, or out of the namespaces.
const REFUSED: &[CallRule] = &[
    (c::SYS_mount, &[]),
    (c::SYS_umount2, &[]),
    (c::SYS_pivot_root, &[]),
    (c::SYS_chroot, &[]),
    (c::SYS_unshare, &[]),
    (c::SYS_setns, &[]),
    (c::SYS_bpf, &[]),
    (c::SYS_perf_event_open, &[]),
    (c::SYS_userfaultfd, &[]),
    (c::SYS_keyctl, &[]),
    (c::SYS_add_key, &[]),
    (c::SYS_request_key, &[]),
    (c::SYS_kexec_load, &[]),
    (c::SYS_init_module, &[]),
    (c::SYS_finit_module, &[]),
    (c::SYS_delete_module, &[]),
    (c::SYS_ptrace, &[]),
    (c::SYS_process_vm_readv, &[]),
    (c::SYS_process_vm_writev, &[]),
    (c::SYS_io_uring_setup, &[]),
    (c::SYS_io_uring_enter, &[]),
    (c::SYS_io_uring_register, &[]),
    (c::SYS_open_by_handle_at, &[]),
    (c::SYS_swapon, &[]),
    (c::SYS_swapoff, &[]),
    (c::SYS_reboot, &[]),
    (c::SYS_settimeofday, &[]),
    (c::SYS_clock_settime, &[]),
    (c::SYS_acct, &[]),
    (c::SYS_quotactl, &[]),
    (c::SYS_syslog, &[]),
    (c::SYS_fsopen, &[]),
    (c::SYS_fsmount, &[]),
    (c::SYS_move_mount, &[]),
    (c::SYS_open_tree, &[]),
    (c::SYS_mount_setattr, &[]),
    // A process has all privileges within its own user namespace.
    (c::SYS_clone, &[arg(0, MaskedEq(NEW_USER), NEW_USER)]),
    // Huge pages that the machine's owner has reserved are not charged to any process.
    (c::SYS_mmap, &[arg(3, MaskedEq(HUGE), HUGE)]),
    // Leases, delegations and notifications on files. With these, a bot whose user owns a file, or may read it, could
    // delay every other process that opens the file, or be notified whenever the file is opened.
    (c::SYS_fcntl, &[arg(1, Eq, dword(c::F_SETLEASE))]),
    (c::SYS_fcntl, &[arg(1, Eq, dword(c::F_NOTIFY))]),
    (c::SYS_fcntl, &[arg(1, Eq, dword(F_SETDELEG))]),
    // No player needs these notifications, unlike those of inotify, which are used by the file watchers of runtimes.
    (c::SYS_fanotify_init, &[]),
    // Only these socket families stay within the namespaces, and netlink reveals only the network of the namespaces.
    // Other families, such as vsock, can reach services of the machine and of its hypervisor.
    (
        c::SYS_socket,
        &[
            arg(0, Ne, dword(c::AF_UNIX)),
            arg(0, Ne, dword(c::AF_INET)),
            arg(0, Ne, dword(c::AF_INET6)),
            arg(0, Ne, dword(c::AF_NETLINK)),
        ],
    ),
    (c::SYS_socketpair, &[arg(0, Ne, dword(c::AF_UNIX))]),
];

const CONTINUE: u64 = dword(c::SIGCONT);

/// The calls with which a bot could resume processes that the arena has stopped. A process can arrange for a later
/// SIGCONT through a timer, a descriptor, or the end of a process. It can also send the signal directly, since not all
/// processes stop at the same moment.
const CONTINUING: &[CallRule] = &[
    (c::SYS_timer_create, &[]),
    (c::SYS_clone, &[arg(0, MaskedEq(0xff), CONTINUE)]),
    (c::SYS_fcntl, &[arg(1, Eq, dword(F_SETSIG)), arg(2, Eq, CONTINUE)]),
    (c::SYS_prctl, &[arg(0, Eq, dword(c::PR_SET_PDEATHSIG)), arg(1, Eq, CONTINUE)]),
    (c::SYS_kill, &[arg(1, Eq, CONTINUE)]),
    (c::SYS_tkill, &[arg(1, Eq, CONTINUE)]),
    (c::SYS_tgkill, &[arg(2, Eq, CONTINUE)]),
    (c::SYS_rt_sigqueueinfo, &[arg(1, Eq, CONTINUE)]),
    (c::SYS_rt_tgsigqueueinfo, &[arg(2, Eq, CONTINUE)]),
    (c::SYS_pidfd_send_signal, &[arg(1, Eq, CONTINUE)]),
];

/// Calls that fail as if the kernel did not have them. Filters cannot see the arguments of `clone3`, and libraries fall
/// back to clone(2).
const ABSENT: &[CallRule] = &[(c::SYS_clone3, &[])];

/// The calls that change the CPUs of a process, which a bot that is pinned to its CPUs must not use.
const CHANGING_CPUS: &[CallRule] = &[(c::SYS_sched_setaffinity, &[])];

/// Denies this thread, and every process that it starts, the system calls that `policy` does not allow.
pub(super) fn apply(policy: &Policy) -> Result<(), FilterError> {
    let (mut refused, mut absent) = (Rules::default(), Rules::default());
    refused.add(REFUSED)?;
    absent.add(ABSENT)?;
    if policy.tier == Tier::C {
        shared_host::refuse(policy, &mut refused)?;
    }
    if policy.start.freezable {
        refused.add(CONTINUING)?;
    }
    if policy.start.cpus.is_some() {
        refused.add(CHANGING_CPUS)?;
    }
    if policy.memory_group.is_none() {
        refused.add(uncounted::REFUSED)?;
        absent.add(uncounted::ABSENT)?;
        let mut ignored = Rules::default();
        ignored.add(uncounted::IGNORED)?;
        ignored.answer(0)?;
    }
    refused.answer(c::EPERM)?;
    absent.answer(c::ENOSYS)
}

/// Calls that get the same answer, each with the rules for its arguments. An empty list of rules means that the call
/// always gets this answer.
#[derive(Default)]
struct Rules(BTreeMap<i64, Vec<SeccompRule>>);

impl Rules {
    fn add(&mut self, rows: &[CallRule]) -> Result<(), BackendError> {
        for &(call, conditions) in rows {
            self.add_one(call, conditions)?;
        }
        Ok(())
    }

    fn add_one(&mut self, call: i64, conditions: &[Condition]) -> Result<(), BackendError> {
        if conditions.is_empty() {
            self.0.insert(call, Vec::new());
            return Ok(());
        }
        let new = |it: &Condition| SeccompCondition::new(it.argument, it.width.clone(), it.operator.clone(), it.value);
        let rule = SeccompRule::new(conditions.iter().map(new).collect::<Result<_, _>>()?)?;
        match self.0.get_mut(&call) {
            // The call is already refused with any arguments.
            Some(rules) if rules.is_empty() => {}
            Some(rules) => rules.push(rule),
            None => drop(self.0.insert(call, vec![rule])),
        }
        Ok(())
    }

    /// Makes these calls fail with the error `errno` from now on. With 0, they succeed without doing anything.
    fn answer(self, errno: i32) -> Result<(), FilterError> {
        let refusal = SeccompAction::Errno(errno.unsigned_abs());
        let filter = SeccompFilter::new(self.0, SeccompAction::Allow, refusal, std::env::consts::ARCH.try_into()?)?;
        let program: BpfProgram = filter.try_into()?;
        apply_filter(&program)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: &[CallRule] = &[(1, &[arg(0, Eq, 1)]), (1, &[arg(0, Eq, 2)]), (2, &[arg(0, Eq, 1)])];
    const ALL_OF_ONE: &[CallRule] = &[(1, &[]), (1, &[arg(0, Eq, 3)])];

    #[test]
    fn a_call_that_is_refused_with_all_arguments_stays_so() {
        let mut rules = Rules::default();
        rules.add(SOME).expect("valid");
        assert_eq!(rules.0[&1].len(), 2);
        rules.add(ALL_OF_ONE).expect("valid");
        assert!(rules.0[&1].is_empty() && rules.0[&2].len() == 1);
    }
}
