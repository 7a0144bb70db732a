//! Landlock rules for a bot: which files it may read and change, and to which ports it may connect.

use std::io;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, NetPort, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use rustix::fs::{Mode, OFlags, open};

use super::{DEVICES, Policy, SYSTEM, TMP, Tier};
use crate::base::held_dir::open_plain;
use crate::base::sanitise::Shown as _;
use crate::host::start::{RefereeLink, ShownFile};

type RulesetFailure = Box<dyn std::error::Error>;

/// The newest version of Landlock's interface that this program supports. The kernel enforces the parts that it
/// supports: access to files since version 1, TCP since version 4 (Linux 6.7), signals and abstract sockets since
/// version 6 (Linux 6.12), and connections to sockets with a path since version 9.
const NEWEST: ABI = ABI::V9;

/// The version of Landlock's interface that both the kernel and this program support; `None` if the kernel does not
/// have Landlock.
pub(crate) fn version() -> Option<u8> {
    // The restriction ends with its thread.
    let ask = || -> Result<LandlockStatus, RulesetError> {
        let ruleset = Ruleset::default().handle_access(AccessFs::from_all(ABI::V1))?.create()?;
        Ok(ruleset.restrict_self()?.landlock)
    };
    let status = std::thread::scope(|scope| {
        let asking = std::thread::Builder::new().spawn_scoped(scope, ask).ok()?;
        asking.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).ok()
    });
    match status {
        Some(LandlockStatus::Available { effective_abi, .. }) => u8::try_from(effective_abi as i32).ok(),
        Some(LandlockStatus::NotEnabled | LandlockStatus::NotImplemented) | None => None,
    }
}

/// Restricts this thread, and every process that it starts, to what `policy` allows.
pub(super) fn apply(policy: &Policy) -> Result<(), RulesetFailure> {
    if policy.tier == Tier::C { apply_to_host(policy) } else { apply_to_own_root(policy) }
}

/// Whether the kernel has Landlock.
pub(super) fn is_available() -> bool {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    ruleset.handle_access(AccessFs::WriteFile).is_ok_and(|ruleset| ruleset.create().is_ok())
}

/// In its own file system, the bot may read and run everything, but write only to its scratch space. It cannot signal
/// processes outside the confinement or reach their abstract sockets. If the kernel does not have Landlock, the mounts
/// must suffice.
fn apply_to_own_root(policy: &Policy) -> Result<(), RulesetFailure> {
    let abi = NEWEST;
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))?
        .scope(Scope::from_all(abi))?
        .create()?;
    let read = AccessFs::from_read(abi);
    let mut ruleset = ruleset.add_rule(PathBeneath::new(PathFd::new("/")?, read))?;
    let copy = policy.start.build_copy().map(|_| policy.workdir());
    // A rule also applies to everything mounted below its directory. Files shown below the scratch space are read-only
    // only because of their mounts.
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

/// In tier C, the bot shares the host's files: it may read and run the paths in the policy, write to its scratch space,
/// and connect to its seat's port. If the kernel cannot enforce all of this, only the rarest kinds of file access may
/// silently remain unrestricted.
fn apply_to_host(policy: &Policy) -> Result<(), RulesetFailure> {
    let abi = NEWEST;
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))?
        .scope(Scope::AbstractUnixSocket)?
        .set_compatibility(CompatLevel::HardRequirement);
    if policy.start.contact != RefereeLink::HostNetwork {
        ruleset = ruleset.handle_access(AccessNet::from_all(abi))?;
    }
    // A separate user id also prevents a bot from signalling other processes.
    if policy.uid.is_some() {
        ruleset = ruleset.set_compatibility(CompatLevel::BestEffort);
    }
    let mut ruleset = ruleset.scope(Scope::Signal)?.create()?.set_compatibility(CompatLevel::BestEffort);
    let read = AccessFs::from_read(abi);
    for path in SYSTEM.map(Path::new).into_iter().chain([Path::new("/proc")]) {
        ruleset = if path.exists() { allow(ruleset, path, read)? } else { ruleset };
    }
    for ShownFile { path, file } in &policy.start.readable {
        match open_plain(file, OFlags::PATH) {
            Ok(opened) => ruleset = ruleset.add_rule(PathBeneath::new(opened, read))?,
            // A build can do without some of the tools that are shown to it.
            Err(_) if policy.start.build_copy().is_some() => {}
            Err(error) => return Err(unopened(path, &error)),
        }
    }
    for (name, access) in devices(policy, abi) {
        ruleset = allow(ruleset, &Path::new("/dev").join(name), access)?;
    }
    ruleset = allow(ruleset, &policy.root, AccessFs::from_all(abi))?;
    if let Some(copy) = policy.start.build_copy() {
        ruleset = allow(ruleset, &copy.path, AccessFs::from_all(abi))?;
    }
    if let RefereeLink::HostPort(port) = policy.start.contact {
        ruleset = ruleset.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?;
    }
    let status = ruleset.restrict_self()?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err("the kernel does not enforce it".into());
    }
    Ok(())
}

/// The devices, each with the kinds of access that the bot has to it.
fn devices(policy: &Policy, abi: ABI) -> impl Iterator<Item = (&'static str, BitFlags<AccessFs>)> {
    let all = AccessFs::from_file(abi);
    // A process that may write to `zero` can share memory through the device, as with an anonymous mapping.
    let none_shared = policy.memory_group.is_none();
    let access = move |name| if name == "zero" && none_shared { all & AccessFs::from_read(abi) } else { all };
    DEVICES.into_iter().map(move |name| (name, access(name)))
}

fn allow(ruleset: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> Result<RulesetCreated, RulesetFailure> {
    let opened = open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    let opened = opened.map_err(|error| unopened(path, &error.into()))?;
    Ok(ruleset.add_rule(PathBeneath::new(opened, access))?)
}

fn unopened(path: &Path, error: &io::Error) -> RulesetFailure {
    let hint = match error.kind() {
        io::ErrorKind::PermissionDenied => " (the bot's user cannot enter the directories above it)",
        _ => "",
    };
    format!("open `{}`: {error}{hint}", path.shown()).into()
}
