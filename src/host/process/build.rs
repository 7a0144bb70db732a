//! Builds: a program that runs once, and what is left of it then, which is nothing.

use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Command;

use super::capture::{Bound, Capture};
use super::{Child, Launch};
use crate::base::machine::{explained, is_shortage, restore_open_files};
use crate::base::time::{now, timeout_at};
use crate::base::tree::{MOST_BYTES, MOST_ENTRIES, bytes};
use crate::host::sandbox::Cage;
use crate::referee::result::Limit;

/// How a build went.
#[derive(Debug)]
pub enum Built {
    /// It exited with 0.
    Well,
    /// The machine could not start or confine it, for the reason given.
    Void(String),
    /// It did not, for the reason given; with what it wrote.
    Failed {
        /// What happened, in words.
        reason: String,
        /// Its stdout and stderr.
        output: String,
    },
}

/// Runs a build for as long as `most`. In a `cage` it has what `launch` says and nothing else, and whatever it started is gone
/// when this returns. Without one it runs in its directory with the arena's own environment, and its process group is killed.
pub async fn build(launch: &Launch, cage: Option<&Cage>, most: Duration) -> Built {
    let started = match cage {
        Some(cage) => {
            Child::confine(launch, cage).await.map(|(child, ..)| child).map_err(|void| Built::Void(void.reason))
        }
        None => unconfined(launch),
    };
    let mut child = match started {
        Ok(child) => child,
        Err(built) => return built,
    };
    let in_time = timeout_at(now() + most, child.gone()).await.ok();
    let exceeded = child.exceeded();
    let failure = child.failure();
    let is_unconfined = child.is_unconfined();
    let remains = child.end(now()).await;
    let reason = match (failure, exceeded, in_time) {
        (Some((reason, false)), _, _) => return Built::Void(reason),
        (Some((reason, true)), _, _) => reason,
        (None, Some((limit, how)), _) => format!("it {how}: {}", bound(limit, launch)),
        (None, None, _) if is_unconfined => {
            return Built::Void(
                "its confinement ended by itself, as it does when the machine is out of memory".to_owned(),
            );
        }
        (None, None, Some(gone)) if gone.well() => return Built::Well,
        (None, None, Some(gone)) => gone.to_string(),
        (None, None, None) => {
            format!("not done in time: `build_timeout` gives it {}", humantime::format_duration(most))
        }
    };
    Built::Failed { reason, output: format!("{}{}", remains.stdout.text(), remains.stderr.text()) }
}

/// What bounds a build, and which key that follows.
fn bound(limit: Limit, launch: &Launch) -> String {
    let limits = &launch.resources;
    match limit {
        Limit::Memory => format!("a build may use {}, or its player's `memory` if that is more", bytes(limits.memory)),
        Limit::Processes => {
            format!("a build may have {}, or its player's `processes` if that is more", limits.processes)
        }
        Limit::Cpu => "its player's `cpu` says how much it may use".to_owned(),
        Limit::Scratch => format!(
            "a build may put {} into `HOME` and `TMPDIR`, or its player's `scratch` if that is more, and have {} and \
             {MOST_ENTRIES} files in its `dir`",
            bytes(limits.scratch),
            bytes(MOST_BYTES)
        ),
        Limit::Output => format!("its player's `output` is {}", bytes(limits.output)),
    }
}

fn unconfined(launch: &Launch) -> Result<Child, Built> {
    let mut build = Command::new(&launch.program);
    build.args(&launch.args).current_dir(&launch.dir).stdin(Stdio::null());
    build.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).kill_on_drop(true);
    let mut leader = match build.spawn() {
        Ok(child) => child,
        Err(error) if is_shortage(&error) => return Err(Built::Void(explained(&error))),
        Err(error) => return Err(Built::Failed { reason: error.to_string(), output: String::new() }),
    };
    let group = leader.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    group.inspect(|&leader| restore_open_files(leader));
    // It has a pipe of the group's, so that the group is still there.
    let output = Bound::new(launch.resources.output, move || {
        group.map(|group| kill_process_group(group, Signal::KILL));
    });
    let stdout = leader.stdout.take().map(|pipe| Capture::start(pipe, launch.output_cap, output.clone()));
    let stderr = leader.stderr.take().map(|pipe| Capture::start(pipe, launch.output_cap, output.clone()));
    let (scratch, confined, account, started, ended) = (None, None, None, now(), None);
    Ok(Child { leader, group, stdout, stderr, output, scratch, confined, account, started, ended })
}
