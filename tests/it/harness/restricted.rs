//! Threads that have less than others, or have something to themselves; the same is true of the processes that they
//! start.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, SeccompRule, apply_filter};

/// Calls `action` in a separate thread.
pub(crate) fn in_a_thread<T: Send>(action: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(action).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Calls `action` in a thread that has its own mounts, as do the processes that it starts. Only root may do this.
pub(crate) fn with_own_mounts<T: Send>(action: impl FnOnce() -> T + Send) -> T {
    in_a_thread(|| {
        own_mounts();
        action()
    })
}

/// Gives this thread its own mounts.
pub(crate) fn own_mounts() {
    unshare(CloneFlags::CLONE_FS | CloneFlags::CLONE_NEWNS).expect("root may");
    let none = None::<&str>;
    mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none).expect("root may");
}

/// Calls `action` in a thread whose children cannot create namespaces, as in many containers.
pub(crate) fn without_namespaces<T: Send>(action: impl FnOnce() -> T + Send) -> T {
    static FILTER: OnceLock<BpfProgram> = OnceLock::new();
    filtered(FILTER.get_or_init(|| refusing(&[nix::libc::SYS_unshare])), action)
}

/// Calls `action` in a thread whose children cannot restrict themselves through Landlock.
pub(crate) fn without_landlock<T: Send>(action: impl FnOnce() -> T + Send) -> T {
    static FILTER: OnceLock<BpfProgram> = OnceLock::new();
    filtered(FILTER.get_or_init(|| refusing(&[nix::libc::SYS_landlock_create_ruleset])), action)
}

/// Calls `action` in a thread whose children can neither create namespaces nor restrict themselves through Landlock.
pub(crate) fn without_confinement<T: Send>(action: impl FnOnce() -> T + Send) -> T {
    static FILTER: OnceLock<BpfProgram> = OnceLock::new();
    let refused = [nix::libc::SYS_unshare, nix::libc::SYS_landlock_create_ruleset];
    filtered(FILTER.get_or_init(|| refusing(&refused)), action)
}

/// A filter that permits everything except these system calls.
fn refusing(calls: &[i64]) -> BpfProgram {
    answering(calls.iter().map(|&call| (call, Vec::new())).collect(), nix::libc::EPERM)
}

/// A filter that permits everything except the system calls that match `rules`. These fail with the error `errno`, or,
/// if `errno` is 0, seem to succeed but do nothing.
pub(crate) fn answering(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: i32) -> BpfProgram {
    let refuse = SeccompAction::Errno(errno.cast_unsigned());
    let arch = std::env::consts::ARCH.try_into().expect("known");
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).expect("a filter");
    filter.try_into().expect("a program")
}

/// Calls `action` in a thread whose children are subject to `filter`.
pub(crate) fn filtered<T: Send>(filter: &BpfProgram, action: impl FnOnce() -> T + Send) -> T {
    in_a_thread(|| {
        apply_filter(filter).expect("applied");
        action()
    })
}
