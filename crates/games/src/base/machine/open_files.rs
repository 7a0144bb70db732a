//! The limit on open files: this process raises its own limit, and its children get the original one.

use std::sync::OnceLock;

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit, setrlimit};

/// The limits on open files with which this process was started, once they have been raised.
static OPEN_FILES_BEFORE: OnceLock<Rlimit> = OnceLock::new();

/// Raises this process's limit on open files to the maximum that the system allows, because every connection is an open
/// file. If the system refuses, nothing changes. [`restore_open_files`] restores the original limit for children.
pub fn raise_open_files() {
    let before = getrlimit(Resource::Nofile);
    if before.current == before.maximum {
        return;
    }
    if setrlimit(Resource::Nofile, Rlimit { current: before.maximum, ..before }).is_ok() {
        // A second call has nothing to record, because the limits have already been raised.
        let _ = OPEN_FILES_BEFORE.set(before);
    }
}

/// Gives the process `child` the limit on open files with which this process was started. A high limit causes problems
/// for programs that use select(2), or that close every descriptor they might have inherited.
pub fn restore_open_files(child: Pid) {
    if let Some(before) = OPEN_FILES_BEFORE.get() {
        // A child that is gone does not need a limit.
        let _ = prlimit(Some(child), Resource::Nofile, *before);
    }
}

/// Returns how many open files this process may have; `u64::MAX` means that there is no limit.
pub fn open_files() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}
