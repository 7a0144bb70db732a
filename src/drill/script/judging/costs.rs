//! The cost of a game: time, CPU time, output.

use std::time::Duration;

use super::{Shortfall, TrialFailure};
use crate::drill::script::{BoutFacts, ClockUse, Delivery};
use crate::referee::thought::{MalformedThought, Thought};

/// The CPU time that a bot may use while it waits.
const IDLE_CPU: Duration = Duration::from_secs(1);

/// The number of bytes that a bot may write to stderr in a game.
const STDERR: u64 = 1 << 20;

/// Requires the bot to keep a tenth of the part of its clock that decides whether its flag falls. Time lost to a busy
/// machine does not count.
pub(in crate::drill::script) fn keeps_some_time(game: &BoutFacts) -> Option<Shortfall> {
    let used = ClockUse::of(game).filter(|_| game.end.is_as_planned())?;
    let summary = || format!("It {used}, which leaves less than a tenth.");
    used.is_nearly_all(game.starved()).then(|| Shortfall::poor(TrialFailure::UsedClock, summary()))
}

/// Requires the bot not to compute while it waits.
pub(in crate::drill::script) fn waits_idly(game: &BoutFacts) -> Option<Shortfall> {
    let cpu = game.idle_cpu.filter(|cpu| *cpu >= IDLE_CPU)?;
    let (cpu, silence) = (cpu.as_secs_f64(), Delivery::SILENCE.as_secs());
    let summary = format!("It used {cpu:.1} s of CPU time during the {silence} s that it waited for its opponent.");
    Some(Shortfall::poor(TrialFailure::Busy, summary))
}

/// Requires the bot not to flood stderr.
pub(in crate::drill::script) fn writes_little(game: &BoutFacts) -> Option<Shortfall> {
    let bytes = game.process.as_ref()?.stderr_bytes;
    (bytes >= STDERR).then(|| {
        #[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
        let mebibytes = bytes as f64 / STDERR as f64;
        Shortfall::bad(TrialFailure::Flooded, format!("It wrote {mebibytes:.1} MiB to stderr in one game."))
    })
}

/// Reports that the bot describes its thinking in a form that is ignored.
pub(in crate::drill::script) fn is_understood(game: &BoutFacts) -> Option<Shortfall> {
    let why = misspelt(game.stderr())?;
    let summary = format!("A line with `{}` on stderr was ignored: {why}.", Thought::WORD);
    Some(Shortfall::poor(TrialFailure::Misspelt, summary))
}

/// What is wrong with the first line of `stderr` that is a malformed thought.
fn misspelt(stderr: &str) -> Option<MalformedThought> {
    stderr.lines().find_map(|line| Thought::of_stderr(line.as_bytes())?.err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_malformed_thought_is_misspelt() {
        assert_eq!(misspelt("ready\n#think depth=3\n#thinking\n"), None);
        let why = misspelt("#think depth=3\n#think depht=3\r\nover\n").map(|why| why.to_string());
        assert!(why.is_some_and(|why| why.starts_with("`depht=3` is not a claim")));
    }
}
