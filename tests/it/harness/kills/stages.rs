//! The stages of confinement of bots that are playing.

use std::fs;
use std::process::Command;
use std::sync::OnceLock;

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::arena::{program, text};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::{InTime as _, children_of};

/// The stages that live as long as their bot. Stage `enter` becomes the bot, so its end is the bot's own.
const STAGES: [&str; 3] = ["namespaces", "init", "warden"];

/// Kills the stage of a bot that the arena `arena` has started. Returns whether there was any.
pub(super) fn kill_one(arena: u32) -> bool {
    let mut processes = vec![Pid::from_raw(i32::try_from(arena).expect("an id")).expect("an id")];
    let mut next = 0;
    while let Some(&process) = processes.get(next) {
        next += 1;
        if is_stage(process) {
            // The stage may have ended in the meantime.
            return kill_process(process, Signal::KILL).is_ok();
        }
        processes.extend(children_of(process));
    }
    false
}

fn is_stage(process: Pid) -> bool {
    let words = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let mut words = words.split(|byte| *byte == 0).skip(1);
    let name = (words.next() == Some(b"confine")).then(|| words.next()).flatten();
    name.is_some_and(|name| STAGES.iter().any(|stage| stage.as_bytes() == name))
}

/// Whether this machine can confine bots, so that there are stages. If not, reports that this is skipped.
pub(crate) fn can_confine() -> bool {
    static OBSTACLE: OnceLock<Option<String>> = OnceLock::new();
    let obstacle = OBSTACLE.get_or_init(|| {
        let doctor = Command::new(program()).arg("doctor").output_in_time().expect("it starts");
        let said = text(&doctor.stdout);
        (!said.contains("bots are confined by tier ")).then_some(said)
    });
    if let Some(said) = obstacle {
        skipped(Need::Namespaces, format_args!("this machine cannot confine bots: {said}"));
    }
    obstacle.is_none()
}
