//! Processes that unconfined bots leave behind. Confined bots do not leave any.

use std::fs;
use std::io;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::waitpid;
use nix::unistd::{Pid, getpid};

/// How many generations of processes to kill. Only a program that starts new processes faster than they can be killed
/// has more generations.
const GENERATIONS: usize = 1000;

/// Makes this process the parent of all orphans among its descendants, including those that have left their process
/// group and their session.
///
/// # Errors
/// Fails if the kernel refuses.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    nix::sys::prctl::set_child_subreaper(true).map_err(io::Error::from)
}

/// Kills all children of this process, and all their descendants, which become children of this process. Returns
/// whether no children are left. Never call this while other code is waiting for a child.
pub(crate) fn end_children() -> bool {
    for _ in 0..GENERATIONS {
        let children = children();
        if children.is_empty() {
            return true;
        }
        for &child in &children {
            // A child that has ended remains a zombie until it is waited for, so no other process can have its id.
            let _ = kill(child, Signal::SIGKILL);
        }
        for child in children {
            while waitpid(child, None) == Err(Errno::EINTR) {}
        }
    }
    children().is_empty()
}

/// The children of this process, dead or alive.
fn children() -> Vec<Pid> {
    let own = getpid();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok().map(Pid::from_raw));
    pids.filter(|&pid| parent(pid) == Some(own)).collect()
}

/// The parent of `pid`, if there is such a process.
fn parent(pid: Pid) -> Option<Pid> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The process name, which can contain any character, is followed by the state and the parent.
    let parent = stat.rsplit(')').next()?.split_whitespace().nth(1)?;
    parent.parse().ok().map(Pid::from_raw)
}
