//! Pid 1 of a bot's namespaces, started from a thread of the arena. Compared with a process in between, this saves one
//! start of this program for every bot.

use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::Policy;
use super::cage_error::{CageError, io_error};
use super::namespaces::{self, OwnNetwork};

/// The first process of new namespaces, and the bot's network.
pub(super) type Entered = Result<(Child, Option<OwnNetwork>), CageError>;

/// Enters new namespaces for the bot of `policy` on a new thread, and starts `init` there as their pid 1. If the
/// receiver is dropped, `init` is killed. The result is an error if the machine refuses to create the namespaces or the
/// process.
///
/// The process must have the privileges of tier A. Call this within a runtime.
///
/// # Errors
/// Fails if the machine refuses to create a thread.
pub(super) fn start(policy: Policy, mut init: Command) -> Result<oneshot::Receiver<Entered>, CageError> {
    let (runtime, (tell, told)) = (Handle::current(), oneshot::channel());
    let work = move || {
        let entered = namespaces::enter(&policy).map_err(CageError::Failed).and_then(|network| {
            let _runtime = runtime.enter();
            let child = init.kill_on_drop(true).spawn().map_err(io_error("start the confinement"))?;
            // This closes the arena's copy of the control socket of `init`, so that the arena notices its end.
            drop(init);
            Ok((child, network))
        });
        let pid = entered.as_ref().ok().and_then(|(child, _)| child.id());
        let _ = tell.send(entered);
        if let Some(pid) = pid.and_then(|pid| Pid::from_raw(pid.cast_signed())) {
            wait_for(pid);
        }
    };
    std::thread::Builder::new().name("namespaces".to_owned()).spawn(work).map_err(io_error("start a thread"))?;
    Ok(told)
}

/// Waits until the child `pid` has ended, but leaves its status to whoever else waits for it. The kernel kills `init`
/// when the thread that started it ends, so that the arena's end is also the end of its bots.
fn wait_for(pid: Pid) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(pid), options), Err(Errno::INTR)) {}
}
