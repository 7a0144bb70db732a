//! The cost of a game: time, CPU time, output.

use std::time::Duration;

use super::{Shortfall, TrialFailure};
use crate::drill::script::{BoutFacts, ClockUse, Delivery};

/// The CPU time that a bot may use while it waits.
const IDLE_CPU: Duration = Duration::from_secs(1);

/// The number of bytes that a bot may write to stderr in a game.
const STDERR: u64 = 1 << 20;

/// Requires the bot to keep a tenth of the part of its clock that decides whether its flag falls. Time lost to a busy machine does
/// not count.
pub(in crate::drill::script) fn keeps_some_time(game: &BoutFacts) -> Option<Shortfall> {
    let used = ClockUse::of(game).filter(|_| game.end.is_as_planned())?;
    let summary = || format!("It {used}, which leaves less than a tenth.");
    used.is_nearly_all(game.starved()).then(|| Shortfall::poor(TrialFailure::UsedClock, summary()))
}

/// Requires the bot not to compute while it waits.
pub(in crate::drill::script) fn waits_idly(game: &BoutFacts) -> Option<Shortfall> {
    let cpu = game.idle_cpu.filter(|cpu| *cpu >= IDLE_CPU)?;
    let (cpu, silence) = (cpu.as_secs_f64(), Delivery::SILENCE.as_secs());
    let summary = format!("It used {cpu:.1} s of CPU time in the {silence} s in which it waited for its opponent.");
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
