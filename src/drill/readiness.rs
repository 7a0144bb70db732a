//! Whether bots are ready to play: the outcome of every scenario of the drill, by player.

mod cause;

use std::fmt;
use std::time::Duration;

use crate::base::word_enum::words;
use crate::drill::script::{BotSeat, BoutFacts, Finding, Level, SCENARIOS, Scenario, Transcript, TrialFailure};
use crate::game::Ruleset;
use crate::referee::time_control::SideControl;

pub use cause::{Cause, CauseProof, Diagnosis, SourcePlace};

/// The outcomes of all scenarios for all players.
#[derive(Debug)]
pub struct Readiness {
    /// The rules.
    pub ruleset: Ruleset,
    /// How bots were confined: `A` to `D`.
    pub isolation: String,
    /// The players that were drilled, in the order of the tournament file.
    pub players: Vec<TriedPlayer>,
    /// The players that were not drilled.
    pub untried: Vec<UntriedPlayer>,
}

/// A player that was not drilled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntriedPlayer {
    /// The player's name, already validated.
    pub player: String,
    /// The reason, as hostile text.
    pub why: String,
    /// Whether the player should have been drilled, but could not be because of a fault of the machine.
    pub is_void: bool,
}

/// The outcomes of all scenarios for one player.
#[derive(Debug)]
pub struct TriedPlayer {
    /// The player's name, already validated.
    pub player: String,
    /// The words of the player's command; printable.
    pub command: String,
    /// The sides or seats that the player plays, in order.
    pub sides: Vec<BotSeat>,
    /// The directory to which the paths in diagnoses are relative, as a path relative to the working directory; `None`
    /// if it is the working directory. Hostile text.
    pub dir: Option<String>,
    /// The digest of everything that identifies the player, if it is known.
    pub digest: Option<String>,
    /// Why the player could not be prepared, for example because its build failed. There are no trials in that case.
    pub broken: Option<String>,
    /// The time control of each side in the player's ordinary games. The scenarios were chosen for this control.
    pub control: SideControl,
    /// The outcome of each scenario on each side, in the order of the table of scenarios and, for each scenario, in the
    /// order of the seats.
    pub trials: Vec<Trial>,
    /// How long the whole drill took.
    pub took: Duration,
}

/// The outcome of one scenario on one side.
#[derive(Debug)]
pub struct Trial {
    /// The scenario.
    pub scenario: &'static Scenario,
    /// The side or seat that the bot played.
    pub side: BotSeat,
    /// The outcome.
    pub status: TrialStatus,
    /// How the bot failed; `None` if it did well, or if there is nothing to judge.
    pub failure: Option<TrialFailure>,
    /// Why the scenario was not played; `None` if it was.
    pub skipped: Option<SkipReason>,
    /// What the bot did, in one or two sentences, or the reason for a skip; printable.
    pub summary: String,
    /// Whether the bot failed in only one of two tries. The trial still counts as failed.
    pub flaky: bool,
    /// How long the trial took, including a second try.
    pub took: Duration,
    /// What happened in each game that was played.
    pub games: Vec<BoutFacts>,
    /// The index of the game that decided the outcome, for its transcript.
    pub decisive: usize,
    /// The replay of the decisive game with the same seed, if there was one.
    pub second: Option<BoutFacts>,
    /// The causes that were found; empty for a scenario that passes.
    pub diagnoses: Vec<Diagnosis>,
    /// The file with the transcript, if it was written.
    pub transcript_file: Option<String>,
}

/// Why a scenario was not played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// The scenario depends on moves that do not exist under these rules.
    OtherRules(Ruleset),
    /// The scenario is for games with a different number of seats.
    OtherSeats(Ruleset),
    /// The scenario needs whole games, and the bot plays one mode for its team.
    OneMode,
    /// The bot did not connect to its seat in `hello`.
    NeedsHello,
    /// The bot made no move in `plain`.
    NeedsPlain,
    /// The bot hung in too many scenarios on this side.
    Hung {
        /// The number of those scenarios.
        scenarios: usize,
        /// The side or seat.
        side: BotSeat,
    },
    /// The machine was too busy for the bot in too many scenarios on this side.
    Starved {
        /// The number of those scenarios.
        scenarios: usize,
        /// The side or seat.
        side: BotSeat,
    },
    /// The check was interrupted.
    Interrupted,
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherRules(ruleset) => {
                write!(f, "it depends on Gothello's moves, but the rule set is {ruleset}")
            }
            Self::OtherSeats(ruleset) => {
                write!(f, "it is for games with a different number of seats, but {ruleset} has {}", ruleset.seats())
            }
            Self::OneMode => f.write_str("it needs whole games, but the bot plays only one mode for its team"),
            Self::NeedsHello => f.write_str("needs hello"),
            Self::NeedsPlain => f.write_str("needs plain"),
            Self::Hung { scenarios, side } => write!(f, "it hung in {scenarios} scenarios as {side}"),
            Self::Starved { scenarios, side } => {
                write!(f, "the machine was too busy in {scenarios} scenarios as {side}")
            }
            Self::Interrupted => f.write_str("the check was interrupted"),
        }
    }
}

/// The outcome of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialStatus {
    /// The bot did what the scenario expects.
    Pass,
    /// The bot failed in a way that loses games in a tournament.
    Fail,
    /// The bot failed, but no result would have changed.
    Warn,
    /// The outcome is reported, but not judged.
    Info,
    /// The scenario was not played.
    Skip,
    /// The scenario took too long.
    Timeout,
}

words! {
    pub TrialStatus;
    Pass => "pass", Fail => "fail", Warn => "warn", Info => "info", Skip => "skip", Timeout => "timeout",
}

impl TrialStatus {
    /// The status of a scenario of `level` that ended with `finding`.
    pub const fn of(level: Level, finding: Finding) -> Self {
        match (level, finding) {
            (_, Finding::Good) => Self::Pass,
            (Level::Info, _) | (_, Finding::Told) => Self::Info,
            (Level::Must, Finding::Bad) => Self::Fail,
            (Level::Must, Finding::TooLong) => Self::Timeout,
            (Level::Should, Finding::Bad | Finding::TooLong) | (_, Finding::Poor) => Self::Warn,
        }
    }
}

/// The numbers of a level's trials that passed, failed and were skipped. A timeout is a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelCounts {
    /// Passed.
    pub passed: usize,
    /// Failed or timed out.
    pub failed: usize,
    /// Skipped.
    pub skipped: usize,
}

impl LevelCounts {
    /// The total number of the level's trials.
    pub const fn all(self) -> usize {
        self.passed + self.failed + self.skipped
    }
}

/// The verdict on a player after all trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadinessVerdict {
    /// The player passes every MUST.
    Ready,
    /// The player passes every MUST that was tried, but some were not tried.
    Open,
    /// The player fails a MUST.
    NotReady,
    /// The player could not be prepared or started.
    Broken,
}

words! { pub ReadinessVerdict; Ready => "ready", Open => "open", NotReady => "not_ready", Broken => "broken" }

impl Trial {
    /// A trial that was not played, for the reason `why`.
    pub fn skipped(scenario: &'static Scenario, side: impl Into<BotSeat>, why: SkipReason) -> Self {
        Self {
            scenario,
            side: side.into(),
            status: TrialStatus::Skip,
            failure: None,
            skipped: Some(why),
            summary: why.to_string(),
            flaky: false,
            took: Duration::ZERO,
            games: Vec::new(),
            decisive: 0,
            second: None,
            diagnoses: Vec::new(),
            transcript_file: None,
        }
    }

    /// The name of this trial, such as `clock.black` or `clock.3`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.scenario.id, self.side.word())
    }

    /// Whether this trial prevents the player from being accepted. With `strict`, a warning does, too.
    pub fn counts_against(&self, strict: bool) -> bool {
        self.has_failed() || (strict && self.status == TrialStatus::Warn)
    }

    /// Whether a fault of the machine made a game void.
    pub fn is_void(&self) -> bool {
        self.games.iter().any(BoutFacts::is_void)
    }

    /// Whether this trial counts as a failure of its level.
    pub const fn has_failed(&self) -> bool {
        matches!(self.status, TrialStatus::Fail | TrialStatus::Timeout)
    }

    /// The game that decided the outcome; `None` if none was played.
    pub fn decisive_game(&self) -> Option<&BoutFacts> {
        self.games.get(self.decisive)
    }

    /// The transcript of the game that decided the outcome.
    pub fn transcript(&self) -> Option<&Transcript> {
        self.decisive_game().map(|game| &game.transcript)
    }
}

impl TriedPlayer {
    /// The path of the bot's file `file`, relative to the working directory.
    pub fn path_of(&self, file: &str) -> String {
        match self.dir.as_deref().map(|dir| dir.trim_end_matches('/')) {
            None | Some("" | ".") => file.to_owned(),
            Some(dir) => format!("{}/{file}", dir.trim_start_matches("./")),
        }
    }

    /// Whether the scenario `id` was played on any side.
    pub fn has_tried(&self, id: &str) -> bool {
        self.trials.iter().any(|trial| trial.scenario.id == id && trial.skipped.is_none())
    }

    /// The numbers of trials of `level` that passed, failed and were skipped. A warning in a SHOULD counts as failed,
    /// and a warning in a MUST as passed.
    pub fn counts(&self, level: Level) -> LevelCounts {
        let mut counts = LevelCounts::default();
        for trial in self.trials.iter().filter(|trial| trial.scenario.level == level) {
            match trial.status {
                // A void trial reveals nothing about the bot.
                TrialStatus::Info if trial.is_void() => counts.skipped += 1,
                TrialStatus::Pass | TrialStatus::Info => counts.passed += 1,
                TrialStatus::Warn if level == Level::Must => counts.passed += 1,
                TrialStatus::Fail | TrialStatus::Timeout | TrialStatus::Warn => counts.failed += 1,
                TrialStatus::Skip => counts.skipped += 1,
            }
        }
        counts
    }

    /// Whether the player passes everything that was tried and, if `strict`, does so without any warnings.
    pub fn holds(&self, strict: bool) -> bool {
        self.broken.is_none() && !self.trials.iter().any(|trial| trial.counts_against(strict))
    }

    /// The verdict on the player after all trials.
    pub fn verdict(&self) -> ReadinessVerdict {
        if self.broken.is_some() {
            ReadinessVerdict::Broken
        } else if self.trials.iter().any(Trial::has_failed) {
            ReadinessVerdict::NotReady
        } else if self.untried_musts() > 0 {
            ReadinessVerdict::Open
        } else {
            ReadinessVerdict::Ready
        }
    }

    /// How many MUST checks were not tried, or were spoiled by the machine, although they can be played under the
    /// rules and are meant for the time control. Each scenario counts once for each of the player's sides.
    pub fn untried_musts(&self) -> usize {
        let is_of_two = self.sides.iter().all(|side| matches!(side, BotSeat::Side(_)));
        let seats = if is_of_two { 2 } else { u8::MAX };
        let is_meant = |scenario: &&Scenario| scenario.is_meant_for(self.control, seats);
        let musts = SCENARIOS.iter().filter(|scenario| scenario.level == Level::Must).filter(is_meant);
        let checks = musts.flat_map(|scenario| self.sides.iter().map(|&side| (scenario.id, side)));
        let is_settled = |trial: &&Trial| match trial.skipped {
            None => !trial.is_void(),
            Some(SkipReason::OtherRules(_) | SkipReason::OtherSeats(_) | SkipReason::OneMode) => true,
            Some(_) => false,
        };
        let settled = |(id, side)| {
            self.trials.iter().filter(is_settled).any(|trial| (trial.scenario.id, trial.side) == (id, side))
        };
        checks.filter(|check| !settled(*check)).count()
    }
}

impl Readiness {
    /// Whether a fault of the machine prevented a player from being drilled, or made one of its games void.
    pub fn is_spoiled(&self) -> bool {
        let mut trials = self.players.iter().flat_map(|player| &player.trials);
        trials.any(Trial::is_void) || self.untried.iter().any(|untried| untried.is_void)
    }

    /// Whether every player passes everything that was tried; with `strict`, without any warnings.
    pub fn holds(&self, strict: bool) -> bool {
        self.players.iter().all(|player| player.holds(strict))
    }
}
