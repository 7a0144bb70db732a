//! Pid 1 of the bot's namespaces. It builds the file system, starts the bot, and oversees it.

use std::fs;
use std::io;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rustix::process::{set_parent_process_death_signal, setsid};

use super::{close_inherited, enter};
use crate::host::sandbox::build_copy::CopyWatch;
use crate::host::sandbox::cgroup::Inside;
use crate::host::sandbox::control_messages::{Failed, InStep};
use crate::host::sandbox::limit_watch::BotProcesses;
use crate::host::sandbox::order::Order;
use crate::host::sandbox::oversee::{enter_group, let_go_of_outputs, oversee};
use crate::host::sandbox::procfs::{all_processes, last_id};
use crate::host::sandbox::scratch_fill::Fill;
use crate::host::sandbox::{TMP, root};
use crate::host::shortage::{DiskWatch, FullDisk, oom_score};

/// The process namespace in which this process is pid 1.
struct Namespace {
    copy: Option<CopyWatch>,
    /// Watches the disk that contains the copy.
    disk: Option<DiskWatch>,
}

impl BotProcesses for Namespace {
    fn processes(&self) -> Vec<u32> {
        all_processes().filter(|&pid| pid != 1).collect()
    }

    fn scratch(&self, _deleted: u64) -> Fill {
        self.copy.as_ref().map(CopyWatch::look).filter(|copy| copy.is_full).unwrap_or_else(in_scratch)
    }

    fn hides_deleted(&self) -> bool {
        false
    }

    fn scratch_in_memory(&self) -> u64 {
        in_scratch().bytes + self.copy.as_ref().map_or(0, CopyWatch::in_memory)
    }

    fn full_disk(&self) -> Option<FullDisk> {
        self.disk.as_ref()?.look(|| self.copy.as_ref().map_or(0, |copy| copy.look().bytes))
    }

    fn last_id() -> Option<u64> {
        last_id(&fs::read_to_string("/proc/loadavg").ok()?)
    }

    fn signal_all(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(-1), signal);
    }

    fn kill_all(&self) {
        self.signal_all(Signal::SIGKILL);
    }
}

/// How full the scratch space is.
fn in_scratch() -> Fill {
    rustix::fs::statvfs(TMP).map_or(Fill { bytes: 0, is_full: false }, |stat| Fill {
        bytes: (stat.f_blocks - stat.f_bfree) * stat.f_frsize,
        is_full: stat.f_bfree == 0,
    })
}

pub(super) fn run() -> Result<(), Failed> {
    // If the process that started this one ends, stage `namespaces` or the arena, the kernel kills this process and with
    // it the whole namespace.
    set_parent_process_death_signal(Some(rustix::process::Signal::KILL)).step("tie this process to its parent")?;
    close_inherited()?;
    oom_score::raise("/proc/self");
    let Some(Order { policy, claim: _claim, stdin }) = Order::receive(io::stdin()).step("receive the order")? else {
        return Ok(());
    };
    setsid().step("start a session")?;
    let (inside, tally) = enter_group(&policy)?;
    root::build(&policy)?;
    let disk = policy.start.build_copy().map(|_| DiskWatch::begin(&policy.workdir(), true));
    oversee(policy.start.resources, tally, || {
        let bot = enter::spawn(&policy, stdin)?;
        inside.map_or(Ok(()), Inside::leave)?;
        let_go_of_outputs()?;
        Ok((bot, Namespace { copy: CopyWatch::of(&policy), disk }))
    })
}
