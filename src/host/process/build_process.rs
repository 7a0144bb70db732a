//! The process of a build. It runs once, within its limits, and leaves no processes behind.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::ChildProcess;
use crate::base::machine::{explained, is_shortage};
use crate::base::time::{now, timeout_at};
use crate::base::tree::{MOST_BYTES, MOST_ENTRIES};
use crate::base::units::bytes;
use crate::host::program_timeout::{ProgramTimeout, TimeoutReason};
use crate::host::sandbox::Cage;
use crate::host::start::Start;
use crate::referee::result::Limit;
use crate::tournament::Resources;

/// How long to wait, after a build's time is up, for a report that the build had already ended.
const LAST_LOOK: Duration = Duration::from_secs(1);

/// The outcome of a build.
#[derive(Debug)]
pub(crate) enum Built {
    /// The build exited with status 0.
    Well,
    /// The machine could not start or confine the build, or lacked something that the build needed. The text gives the
    /// reason. All files that the build has produced are discarded.
    Void(String),
    /// The build did not finish in time, through its own fault. More time may help.
    TimedOut {
        /// A description of what happened.
        reason: String,
        /// The build's stdout and stderr.
        output: String,
    },
    /// The build failed, for the reason given.
    Failed {
        /// A description of what happened.
        reason: String,
        /// The build's stdout and stderr.
        output: String,
    },
}

/// Runs a build for at most `timeout` of its own time, as counted by [`ProgramTimeout`]. In a `cage`, the build has
/// access only to what `start` specifies, and all its processes are gone when this returns. Without a cage, the build
/// runs in its directory with the arena's own environment, and only its process group is killed.
pub(crate) async fn build(start: Start, cage: Option<&Cage>, timeout: Duration) -> Built {
    let resources = start.resources;
    let started = match cage {
        Some(cage) => {
            let confined = ChildProcess::confine(start, cage).await;
            confined.map(|(child, ..)| child).map_err(|void| Built::Void(void.reason))
        }
        None => unconfined(&start),
    };
    let mut child = match started {
        Ok(child) => child,
        Err(built) => return built,
    };
    let mut wait = ProgramTimeout::new(timeout, child.pid());
    let waited = tokio::select! {
        biased;
        end = child.gone() => Ok(end),
        why = wait.run_out() => Err(why),
    };
    let waited = match waited {
        // The build may have ended while the arena was unable to notice.
        Err(why) => {
            let last_look = async {
                child.settle().await;
                child.gone().await
            };
            timeout_at(now() + LAST_LOOK, last_look).await.map_err(|_| why)
        }
        ended => ended,
    };
    let exceeded = child.exceeded();
    let failure = child.failure();
    let is_unconfined = child.is_unconfined();
    let remains = child.end(now()).await;
    let output = format!("{}{}", remains.stdout.text(), remains.stderr.text());
    let reason = match (failure, exceeded, waited) {
        (Some(failed), _, _) if !failed.is_by_program() => return Built::Void(failed.to_string()),
        (Some(failed), _, _) => failed.to_string(),
        (None, Some((limit, how)), _) => format!("it {how}: {}", limit_text(limit, &resources)),
        (None, None, _) if is_unconfined => {
            return Built::Void(
                "its confinement ended unexpectedly, as happens when the machine is out of memory".to_owned(),
            );
        }
        (None, None, Ok(end)) if end.is_success() => return Built::Well,
        (None, None, _) if let Some(lack) = remains.lack => return Built::Void(format!("its build {lack}")),
        (None, None, Ok(end)) => end.to_string(),
        (None, None, Err(TimeoutReason::Busy { within })) => {
            let [within, timeout] = [within, timeout].map(humantime::format_duration);
            return Built::Void(format!(
                "the machine was too busy: in {within}, its build ran for less than {timeout} \
                 (`build_timeout`), not counting the time that it spent waiting for a core"
            ));
        }
        (None, None, Err(TimeoutReason::Late)) => {
            let timeout = humantime::format_duration(timeout);
            return Built::TimedOut {
                reason: format!("not finished in time: `build_timeout` allows {timeout}"),
                output,
            };
        }
    };
    Built::Failed { reason, output }
}

/// Describes the limit on a build, with the key that sets it.
fn limit_text(limit: Limit, resources: &Resources) -> String {
    match limit {
        Limit::Memory => {
            format!("a build may use up to {}, or its player's `memory` if that is more", bytes(resources.memory))
        }
        Limit::Processes => {
            format!("a build may have up to {}, or its player's `processes` if that is more", resources.processes)
        }
        Limit::Cpu => "its player's `cpu` also applies to the build".to_owned(),
        Limit::Scratch => format!(
            "a build may write up to {} into `HOME` and `TMPDIR`, or its player's `scratch` if that is more, and have \
             up to {} and {MOST_ENTRIES} files in its `dir`",
            bytes(resources.scratch),
            bytes(MOST_BYTES)
        ),
        Limit::Output => format!("its player's `output` is {}", bytes(resources.output)),
    }
}

fn unconfined(start: &Start) -> Result<ChildProcess, Built> {
    let mut command = Command::new(&start.program);
    command.args(&start.args).current_dir(&start.dir).stdin(Stdio::null());
    ChildProcess::in_group(command, start, None).map(|(child, _)| child).map_err(|error| {
        if is_shortage(&error) {
            Built::Void(explained(&error))
        } else {
            Built::Failed { reason: error.to_string(), output: String::new() }
        }
    })
}
