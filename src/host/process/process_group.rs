//! A child that is not confined: a process group, which is killed on drop.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::process::Child;

use super::group_usage::GroupUsage;
use crate::base::machine::restore_open_files;
use crate::base::time::{now, sleep_until};
use crate::host::sandbox::bind;
use crate::host::start::Start;
use crate::referee::usage::Usage;

/// How often to check whether a group still has a process after its leader is gone: the system does not report when the
/// last process exits.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// The process group of a child, with the id of its leader; `None` if the leader was gone before its id could be
/// determined.
#[derive(Debug)]
pub(super) struct ProcessGroup(Option<Members>);

#[derive(Debug)]
struct Members {
    id: Pid,
    used: GroupUsage,
}

impl ProcessGroup {
    /// Returns the group of `leader`, which has just been started for `start`. Pins the group to its CPUs and gives it
    /// the usual limit on open files.
    pub(super) fn of(leader: &Child, start: &Start) -> Self {
        let id = leader.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let (Some(id), Some(cpus)) = (id, &start.cpus) {
            bind(Some(id), cpus);
        }
        Self(id.map(|id| {
            restore_open_files(id);
            Members { id, used: GroupUsage::open(id, start.single) }
        }))
    }

    fn id(&self) -> Option<Pid> {
        self.0.as_ref().map(|members| members.id)
    }

    /// Returns a function that kills the group. Call the function only right after a read from one of the group's
    /// pipes, when the group still exists.
    pub(super) fn ender(&self) -> impl Fn() + Send + Sync + use<> {
        let id = self.id();
        move || signal(id, Signal::KILL)
    }

    /// Waits for the leader with `wait`, and records the leader's usage before it is reaped.
    pub(super) async fn watch(&mut self, wait: impl Future<Output = io::Result<ExitStatus>>) -> io::Result<ExitStatus> {
        match &mut self.0 {
            Some(members) => members.used.watch(wait).await,
            None => wait.await,
        }
    }

    /// Waits until no process of the group is left.
    pub(super) async fn deserted(&self) {
        while self.id().is_some_and(|id| test_kill_process_group(id).is_ok()) {
            sleep_until(now() + CHECK_INTERVAL).await;
        }
    }

    /// Stops all processes of the group.
    pub(super) fn freeze(&self) {
        signal(self.id(), Signal::STOP);
    }

    /// Resumes all processes of the group.
    pub(super) fn thaw(&self) {
        signal(self.id(), Signal::CONT);
    }

    /// Records the usage of the group so far.
    pub(super) fn look(&mut self) {
        if let Some(members) = &mut self.0 {
            members.used.look();
        }
    }

    /// The usage of the group, without the wall time; `None` if nothing has been observed.
    pub(super) fn usage(&self) -> Option<Usage> {
        self.0.as_ref()?.used.usage()
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        signal(self.id(), Signal::KILL);
    }
}

fn signal(group: Option<Pid>, signal: Signal) {
    if let Some(group) = group {
        // An error means that no process is left.
        let _ = kill_process_group(group, signal);
    }
}
