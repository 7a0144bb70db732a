//! Detects bots that ended because the machine could not give them what they need.

use super::{Arena, PlayedGame};
use crate::base::machine::Shortages;
use crate::game::rules::Side;
use crate::referee::result::{Termination, Void};
use crate::tournament::file::PlayerKind;
use crate::tournament::schedule::GameSpec;

/// Whether a game may have ended with `termination` because a bot did not get what it needs to run at all.
pub(super) const fn may_be_for_lack(termination: Termination) -> bool {
    use Termination::{Crash, Disconnect, DoubleForfeit, NoShow};
    matches!(termination, NoShow | Crash | Disconnect | DoubleForfeit)
}

/// What programs print when they cannot start a process or a thread: Java, Python, Go, shells, and any program that
/// prints the system's own message.
const COMPLAINTS: [&str; 5] = [
    "unable to create native thread",
    "can't start new thread",
    "failed to create new OS thread",
    "annot fork",
    "Resource temporarily unavailable",
];

/// Returns whether `stderr`, the output of a program, complains of a missing process or thread.
fn lacks_a_fork(stderr: &str) -> bool {
    COMPLAINTS.iter().any(|complaint| stderr.contains(complaint))
}

/// Why the machine's shortages make a game void, if they do. The program at fault ended for `reason` and wrote
/// `stderr`; `before` and `after` are the machine's figures before and after the game.
fn why_void(reason: &str, stderr: &str, before: Shortages, after: impl FnOnce() -> Shortages) -> Option<&'static str> {
    let (is_killed, lacks_a_fork) = (reason.contains(KILLED), lacks_a_fork(stderr));
    if !is_killed && !lacks_a_fork {
        return None;
    }
    let after = after();
    if lacks_a_fork && after.forks > before.forks {
        Some(
            "ended for lack of a process or thread, after the machine had refused some: play fewer games at a time, or \
             allow more (`pids.max` of the container or service)",
        )
    } else if is_killed && after.kills > before.kills {
        Some(
            "was killed within its limits while the machine was out of memory: play fewer games at a time, or lower `memory`",
        )
    } else {
        None
    }
}

/// What a game's reason says if the kernel, or somebody else, killed its bot.
const KILLED: &str = "killed by SIGKILL";

impl Arena {
    /// Makes the game void if the program at fault ended because the machine ran short, as far as the system's counters
    /// since `before` show that.
    pub(super) fn excuse(&self, spec: &GameSpec, played: &mut PlayedGame, before: Shortages) {
        let Ok(result) = &played.record.result else { return };
        if !may_be_for_lack(result.termination()) {
            return;
        }
        let reason = result.reason().unwrap_or_default();
        for side in Side::BOTH.into_iter().filter(|&side| result.fault().is_on(side)) {
            let entered = &self.tournament.players[spec.players[side]];
            let stderr = played.remains[side].stderr.text();
            let is_program = matches!(entered.kind, PlayerKind::Program(_));
            if let Some(why) = why_void(reason, &stderr, before, Shortages::so_far).filter(|_| is_program) {
                played.record.result = Err(Void { reason: format!("player `{}` {why}", entered.name.as_str()) });
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bot_that_ran_short_by_the_machines_fault_is_excused() {
        let before = Shortages { forks: 3, kills: 2 };
        let why = |reason, stderr, forks, kills| why_void(reason, stderr, before, || Shortages { forks, kills });
        let (java, crash) = ("OutOfMemoryError: unable to create native thread", "exited with code 1");
        assert!(why(crash, java, 4, 2).is_some_and(|why| why.contains("`pids.max`")));
        assert!(why("killed by SIGKILL (signal 9)", "", 3, 3).is_some_and(|why| why.contains("out of memory")));
        for (reason, stderr, forks, kills) in [
            (crash, java, 3, 3),
            (crash, "", 9, 9),
            ("killed by SIGKILL (signal 9)", "", 9, 2),
            ("killed by SIGSEGV (signal 11)", "", 9, 9),
        ] {
            assert_eq!(why(reason, stderr, forks, kills), None, "{reason}, {stderr}");
        }
    }

    #[test]
    fn complaints_are_known() {
        for said in [
            "java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory or process/resource limits",
            "RuntimeError: can't start new thread",
            "runtime: failed to create new OS thread (have 5 already; errno=11)",
            "sh: 1: Cannot fork",
            "bash: fork: retry: Resource temporarily unavailable",
        ] {
            assert!(lacks_a_fork(said), "{said}");
        }
        assert!(!lacks_a_fork("java.lang.OutOfMemoryError: Java heap space"));
    }
}
