//! Which game of a trial is repeated, and how the second try affects the judgement.

use std::time::Duration;

use super::{BoutEnd, BoutFacts, Coming, Finding, Judgement, Level, Scenario};
use crate::referee::result::Termination;

/// Why the decisive game of a trial is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondTry {
    /// To see whether the bot fails each time.
    Alike,
    /// To see whether the bot connects if it may take [`SecondTry::TIMEOUT`] times as long to send its hello.
    Patient,
}

impl SecondTry {
    /// The factor by which the timeout for the hello is extended for a bot that was too late.
    pub const TIMEOUT: u32 = 4;

    /// The maximum duration of a game that is repeated. If longer games were repeated, the drill of a bot that fails
    /// everything could take twice as long.
    pub const LONGEST: Duration = Duration::from_secs(5);

    /// The second try required after `first`, the game in which the bot failed `scenario` according to `judgement`. The
    /// bot had `hello_timeout` to send its hello.
    pub fn after(
        scenario: &Scenario,
        judgement: &Judgement,
        first: &BoutFacts,
        hello_timeout: Duration,
    ) -> Option<Self> {
        let is_late = is_no_show(first) && first.came_after >= hello_timeout;
        let has_hung = matches!(first.end, BoutEnd::TimedOut | BoutEnd::FlagFell | BoutEnd::OutOfWallTime);
        match judgement.finding {
            Finding::Bad if scenario.level != Level::Must => None,
            Finding::Bad if is_late => (scenario.id == Scenario::HELLO).then_some(Self::Patient),
            Finding::Bad if !has_hung && first.took <= Self::LONGEST => Some(Self::Alike),
            _ => None,
        }
    }

    /// How long the bot may take to send its hello in this try, if it had `of_first` in the first try.
    pub const fn hello_timeout(self, of_first: Duration) -> Duration {
        match self {
            Self::Alike => of_first,
            Self::Patient => of_first.saturating_mul(Self::TIMEOUT),
        }
    }
}

const fn is_no_show(game: &BoutFacts) -> bool {
    matches!(game.coming, Coming::Failed { termination: Termination::NoShow, .. })
}

impl Judgement {
    /// Updates this judgement of a failure after `second`, a repetition of the decisive game. Also returns whether the
    /// second try succeeded. If it did, the judgement is still a failure, but mentions the success.
    #[must_use]
    pub fn after_second_try(self, scenario: &Scenario, second: &BoutFacts) -> (Self, bool) {
        let again = (scenario.judge)(std::slice::from_ref(second)).finding;
        if again >= Finding::Bad || matches!(second.end, BoutEnd::Void(_)) {
            return (self, false);
        }
        let warning =
            "It failed in one of two tries (FLAKY): it succeeded the second time, in the same game with the same seed.";
        (Self { summary: format!("{} {warning}", self.summary), ..self }, true)
    }
}

/// Why a bot did not connect within `hello_timeout`, taking into account `second`, the try in which it had
/// [`SecondTry::TIMEOUT`] times as long. The reason is worded to follow a colon.
pub fn why_late(second: &BoutFacts, hello_timeout: Duration) -> String {
    let longer = humantime::format_duration(SecondTry::Patient.hello_timeout(hello_timeout));
    let timeout = humantime::format_duration(hello_timeout);
    match &second.coming {
        _ if matches!(second.end, BoutEnd::Void(_)) => format!("no hello within {timeout} (key `hello_timeout`)"),
        Coming::Seated => format!(
            "there was no hello within {timeout} (key `hello_timeout`), and in a second try it came after {:.1} s; send the hello before any slow work, or raise `hello_timeout`",
            second.came_after.as_secs_f64()
        ),
        Coming::Failed { termination: Termination::NoShow, .. } => {
            format!("no hello within {timeout} (key `hello_timeout`), and none within {longer} in a second try")
        }
        Coming::Failed { reason, .. } => {
            format!("no hello within {timeout} (key `hello_timeout`), and in a second try: {reason}")
        }
    }
}
