//! Gives up what a bot must not have, and becomes the bot: a thread of pid 1 where there are namespaces, which starts the bot
//! with all that it has given up itself; else a stage of its own.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::io::ErrorKind::PermissionDenied;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, Scope,
};
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::Pid;
use rustix::process::{Gid, Resource, Rlimit, Uid, chdir, setrlimit, setsid};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, set_capabilities, set_capabilities_secure_bits,
    set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};

use super::control::{Failed, Fault, Step, send};
use super::order::Order;
use super::root::DEVICES;
use super::{Policy, TMP, Tier, bind, shared, unseen};
use crate::base::machine::is_by_program;
use crate::base::printable::Shown as _;

/// How far beyond its bound a file may go, so that the watch sees that.
const SLACK: u64 = 64 << 20;

/// How many processes a user may start elsewhere while one of its bots runs.
const MARGIN: u64 = 1024;

/// What this stage says over the control socket: `None` when it is about to become the bot. The end of the socket means then
/// that it has, and anything else why it could not.
pub(super) type Said = Option<Failed>;

/// Becomes the bot.
pub(super) fn run() -> u8 {
    let tell = |socket: BorrowedFd<'_>, failed| {
        // Nobody listens any more: then nobody wants to know.
        let _ = send(socket, &Said::Some(failed), &[]);
        1
    };
    // This copy is closed by becoming the bot, whose own stdin takes the place of the socket's.
    match io::stdin().as_fd().try_clone_to_owned().step("share the control socket") {
        Ok(control) => become_bot(&control).map_or_else(|failed| tell(control.as_fd(), failed), |()| 1),
        Err(failed) => tell(io::stdin().as_fd(), failed),
    }
}

/// Returns only if there is no order, or if something goes wrong.
fn become_bot(control: &OwnedFd) -> Result<(), Failed> {
    let Some(Order { policy, stdin, .. }) = Order::receive(control).step("hear the policy")? else { return Ok(()) };
    match stdin {
        Some(stdin) => rustix::stdio::dup2_stdin(&stdin).step("take over stdin")?,
        None => {
            let null = fs::File::open("/dev/null").step("open /dev/null")?;
            rustix::stdio::dup2_stdin(&null).step("let go of the control socket")?;
        }
    }
    setsid().step("begin a session")?;
    limit(&policy)?;
    give_up(&policy)?;
    let mut bot = program(&policy);
    send(control, &Said::None, &[]).step("report")?;
    Err(not_run(&policy, &bot.exec()))
}

/// Starts the bot from this process, pid 1 of its namespace, and returns its process id.
///
/// Identity, rights, Landlock and seccomp are each thread's own, and what it starts has them from it: so a thread gives them
/// up, starts the bot, and ends. What is bounded by number is bounded for this process as well, which needs little.
pub(super) fn spawn(policy: &Policy, stdin: Option<OwnedFd>) -> Result<Pid, Failed> {
    limit(policy)?;
    let start = || {
        give_up(policy)?;
        let mut command = program(policy);
        command.process_group(0).stdin(stdin.map_or_else(Stdio::null, Stdio::from));
        command.spawn().map_err(|error| not_run(policy, &error))
    };
    let started = std::thread::scope(|scope| {
        let starting = std::thread::Builder::new().spawn_scoped(scope, start).step("start the bot")?;
        starting.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    Ok(Pid::from_raw(i32::try_from(started?.id()).unwrap_or_default()))
}

/// The bot's own program.
fn program(policy: &Policy) -> Command {
    let mut command = Command::new(&policy.program);
    command.args(&policy.args).env_clear().envs(policy.env.iter().map(|(name, value)| (name, value)));
    command
}

/// Why the program could not be run.
fn not_run(policy: &Policy, error: &io::Error) -> Failed {
    // A user of its own on the host's files may be kept off them, as the arena's user would not be.
    let kept_off = policy.tier == Tier::C && policy.uid.is_some() && error.kind() == PermissionDenied;
    let step = if kept_off { "run the program as a user of its own" } else { "run the program" };
    let fault = if is_by_program(error) && !kept_off { Fault::Program } else { Fault::Machine };
    Failed { step: step.to_owned(), errno: error.raw_os_error(), fault }
}

/// Goes to the bot's directory, and bounds what may be used; of the whole process.
fn limit(policy: &Policy) -> Result<(), Failed> {
    chdir(policy.workdir()).step("enter the working directory")?;
    let limits = policy.limits;
    // In namespaces, the scratch space itself is bounded.
    let largest = match &policy.workplace {
        Some(workplace) => Some(workplace.most),
        None => (policy.tier == Tier::C).then_some(limits.scratch),
    };
    // One more than is allowed, so that the watch sees it.
    let mut processes = limits.processes.saturating_add(16);
    if policy.tier == Tier::C && policy.uid.is_none() {
        // The bound counts all that the user runs, here and elsewhere, so it can only keep a bomb from going on for ever.
        let user = rustix::process::getuid().as_raw();
        processes = processes.saturating_add(shared::processes_of(user)).saturating_add(MARGIN);
    }
    for (resource, most) in [
        // More than is allowed, so that the watch over all processes sees it; but not so much that the machine could suffer
        // between two looks.
        (Resource::Data, limits.memory.saturating_add(limits.memory / 4).saturating_add(16 << 20)),
        (Resource::Nofile, limits.open_files),
        (Resource::Core, 0),
        (Resource::Memlock, 0),
        (Resource::Nproc, processes),
    ]
    .into_iter()
    .chain(largest.map(|largest| (Resource::Fsize, largest.saturating_add(SLACK))))
    {
        let current = rustix::process::getrlimit(resource);
        let most = current.maximum.map_or(most, |maximum| maximum.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }).step("limit resources")?;
    }
    Ok(())
}

/// Gives up this thread's rights, for good.
fn give_up(policy: &Policy) -> Result<(), Failed> {
    if let Some(cpus) = &policy.cpus {
        bind(None, cpus);
    }
    // A write beyond a file's bound is an error then, and not the end before the watch has seen it.
    SigSet::from(Signal::SIGXFSZ).thread_block().map_err(io::Error::from).step("block a signal")?;
    if let Some(id) = policy.uid {
        let (uid, gid) = (Uid::from_raw(id), Gid::from_raw(id));
        set_thread_groups(&[]).step("leave all groups")?;
        set_thread_res_gid(gid, gid, gid).step("change the group")?;
        set_thread_res_uid(uid, uid, uid).step("change the user")?;
        if policy.tier == Tier::C {
            // These are the host's directories, into which not everybody may be let.
            let dir = policy.workdir();
            chdir(&dir).step(&format!("enter `{}` as a user of its own", dir.shown()))?;
        }
    } else {
        let bits = CapabilitiesSecureBits::NO_ROOT | CapabilitiesSecureBits::NO_ROOT_LOCKED;
        let given_up = set_capabilities_secure_bits(bits);
        // Outside a user namespace of its own, an ordinary user has no right to give up.
        if policy.tier != Tier::C {
            given_up.step("give up root's rights")?;
        }
        let none = CapabilitySet::empty();
        set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
            .step("give up capabilities")?;
    }
    set_no_new_privs(true).step("give up new privileges")?;
    let landlocked = if policy.tier == Tier::C { shared::landlock(policy) } else { landlock(policy) };
    landlocked.map_err(|error| Failed::by_machine(format!("apply Landlock: {error}")))?;
    seccomp(policy).map_err(|error| Failed::by_machine(format!("apply seccomp: {error}")))
}

/// Everything may be read and run, as far as it is there at all; written to is the scratch space alone. Nothing outside can
/// be signalled, and no abstract socket outside reached. Where the kernel has no Landlock, the mounts do without.
fn landlock(policy: &Policy) -> Result<(), Box<dyn std::error::Error>> {
    let abi = ABI::V6;
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))?
        .scope(Scope::from_all(abi))?
        .create()?;
    let read = AccessFs::from_read(abi);
    let mut ruleset = ruleset.add_rule(PathBeneath::new(PathFd::new("/")?, read))?;
    let copy = policy.workplace.as_ref().map(|_| policy.workdir());
    for path in [Path::new(TMP), Path::new("/dev/shm")].into_iter().chain(copy.as_deref()) {
        ruleset = ruleset.add_rule(PathBeneath::new(PathFd::new(path)?, AccessFs::from_all(abi)))?;
    }
    for (name, access) in devices(policy, abi) {
        if let Ok(device) = PathFd::new(format!("/dev/{name}")) {
            ruleset = ruleset.add_rule(PathBeneath::new(device, access))?;
        }
    }
    ruleset.restrict_self()?;
    Ok(())
}

/// What the bot may do with each device.
pub(super) fn devices(policy: &Policy, abi: ABI) -> impl Iterator<Item = (&'static str, BitFlags<AccessFs>)> {
    let all = AccessFs::from_file(abi);
    // Who may write to it may share memory by it, as with a mapping without a file.
    let none_shared = policy.memory_group.is_none();
    let access = move |name| if name == "zero" && none_shared { all & AccessFs::from_read(abi) } else { all };
    DEVICES.into_iter().map(move |name| (name, access(name)))
}

/// Whether the kernel has Landlock.
pub(super) fn has_landlock() -> bool {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    ruleset.handle_access(AccessFs::WriteFile).is_ok_and(|ruleset| ruleset.create().is_ok())
}

/// System calls that no player needs and that reach the kernel, other processes, or past the namespaces.
fn seccomp(policy: &Policy) -> Result<(), Box<dyn std::error::Error>> {
    use nix::libc as c;
    let refused = [
        c::SYS_mount,
        c::SYS_umount2,
        c::SYS_pivot_root,
        c::SYS_chroot,
        c::SYS_unshare,
        c::SYS_setns,
        c::SYS_bpf,
        c::SYS_perf_event_open,
        c::SYS_userfaultfd,
        c::SYS_keyctl,
        c::SYS_add_key,
        c::SYS_request_key,
        c::SYS_kexec_load,
        c::SYS_init_module,
        c::SYS_finit_module,
        c::SYS_delete_module,
        c::SYS_ptrace,
        c::SYS_process_vm_readv,
        c::SYS_process_vm_writev,
        c::SYS_io_uring_setup,
        c::SYS_io_uring_enter,
        c::SYS_io_uring_register,
        c::SYS_open_by_handle_at,
        c::SYS_swapon,
        c::SYS_swapoff,
        c::SYS_reboot,
        c::SYS_settimeofday,
        c::SYS_clock_settime,
        c::SYS_acct,
        c::SYS_quotactl,
        c::SYS_syslog,
        c::SYS_fsopen,
        c::SYS_fsmount,
        c::SYS_move_mount,
        c::SYS_open_tree,
        c::SYS_mount_setattr,
    ];
    let mut rules = if policy.tier == Tier::C { shared::refused(policy)? } else { BTreeMap::new() };
    let mut some = vec![
        // A user namespace of its own gives a process all rights within it.
        (c::SYS_clone, vec![when(0, SeccompCmpOp::MaskedEq(NEW_USER), NEW_USER)?]),
        // The pages that the machine's owner has set aside count as nobody's memory.
        (c::SYS_mmap, vec![when(3, SeccompCmpOp::MaskedEq(HUGE), HUGE)?]),
        (c::SYS_fcntl, holding_up()?),
    ];
    if policy.freezable {
        some.extend(continuing()?);
    }
    // No filter sees what `clone3` is asked for. Where there is none, libraries do with clone(2).
    let mut absent = vec![c::SYS_clone3];
    if policy.memory_group.is_none() {
        some.extend(unseen::refused()?);
        absent.extend(unseen::absent());
        answer(unseen::ignored()?.into_iter().collect(), 0)?;
    }
    for (call, rule) in some {
        add(&mut rules, call, rule);
    }
    rules.extend(refused.into_iter().map(|call| (call, Vec::new())));
    if policy.cpus.is_some() {
        rules.insert(c::SYS_sched_setaffinity, Vec::new());
    }
    answer(rules, c::EPERM)?;
    answer(absent.into_iter().map(|call| (call, Vec::new())).collect(), c::ENOSYS)
}

/// Adds rules for a call; a call without rules is refused with all arguments.
fn add(rules: &mut BTreeMap<i64, Vec<SeccompRule>>, call: i64, more: Vec<SeccompRule>) {
    match rules.get_mut(&call) {
        Some(all) if all.is_empty() => {}
        Some(some) if !more.is_empty() => some.extend(more),
        _ => {
            rules.insert(call, more);
        }
    }
}

/// Answers these calls with this error from here on, and with success that does nothing if it is 0; with all arguments where
/// there are no rules.
fn answer(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: i32) -> Result<(), Box<dyn std::error::Error>> {
    let refusal = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, std::env::consts::ARCH.try_into()?)?;
    let program: BpfProgram = filter.try_into()?;
    apply_filter(&program)?;
    Ok(())
}

/// Chooses the signal that tells of a descriptor.
const F_SETSIG: i32 = 10;

/// `CLONE_NEWUSER`.
const NEW_USER: u64 = 0x1000_0000;

/// `MAP_HUGETLB`.
const HUGE: u64 = 0x4_0000;

/// A rule on one argument, of which the kernel takes 32 bits.
pub(super) fn when(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?])
}

/// A rule on an option, argument `number`, and what is behind it.
pub(super) fn option(number: u8, option: i32, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    let is = |number, value| SeccompCondition::new(number, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value);
    SeccompRule::new(vec![is(number, option.unsigned_abs().into())?, is(number + 1, value)?])
}

/// Leases, delegations and notices on files: each bot whose user owns a file, or may only read it, could make everybody else's
/// open of it wait or have itself told of it.
fn holding_up() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    /// Since Linux 6.19, and not yet in libc.
    const F_SETDELEG: i32 = 1040;
    use nix::libc::{F_NOTIFY, F_SETLEASE};
    let rule = |command: i32| when(1, SeccompCmpOp::Eq, command.unsigned_abs().into());
    [F_SETLEASE, F_NOTIFY, F_SETDELEG].into_iter().map(rule).collect()
}

/// The ways in which a process that is about to be stopped can have a SIGCONT sent to itself later, or its processes to each
/// other: by a timer, by a descriptor, by somebody's end; and directly, since not all are stopped at the same moment.
fn continuing() -> Result<Vec<(i64, Vec<SeccompRule>)>, seccompiler::BackendError> {
    use SeccompCmpOp::{Eq, MaskedEq};
    use nix::libc as c;
    let signal = u64::from(c::SIGCONT.unsigned_abs());
    let mut calls = vec![
        (c::SYS_timer_create, Vec::new()),
        (c::SYS_clone, vec![when(0, MaskedEq(0xff), signal)?]),
        (c::SYS_fcntl, vec![option(1, F_SETSIG, signal)?]),
        (c::SYS_prctl, vec![option(0, c::PR_SET_PDEATHSIG, signal)?]),
    ];
    for (call, argument) in [
        (c::SYS_kill, 1),
        (c::SYS_tkill, 1),
        (c::SYS_tgkill, 2),
        (c::SYS_rt_sigqueueinfo, 1),
        (c::SYS_rt_tgsigqueueinfo, 2),
        (c::SYS_pidfd_send_signal, 1),
    ] {
        calls.push((call, vec![when(argument, Eq, signal)?]));
    }
    Ok(calls)
}
