//! Judges the bot by the facts.
//!
//! A scenario's judgement consists of [`Check`]s, each of which examines one aspect of one game.

pub(super) mod captures;
pub(super) mod coming;
pub(super) mod costs;
pub(super) mod counts;
pub(super) mod leaving;
pub(super) mod passes;
pub(super) mod refusals;
pub(super) mod whole_game;

use serde::{Deserialize, Serialize};

use super::BoutFacts;
use crate::referee::record::TryKind;

/// The judgement on the bot, based on the facts of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The finding.
    pub finding: Finding,
    /// How the bot failed; `None` if it did well, or if there is nothing to judge.
    pub failure: Option<TrialFailure>,
    /// What the bot did, in one or two sentences; printable.
    pub summary: String,
    /// The index of the decisive game.
    pub decisive: usize,
}

/// How well the bot did, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// The bot did what the scenario expects.
    Good,
    /// The bot's behaviour is reported, but not judged.
    Told,
    /// The bot's behaviour affects no result, but is worth fixing: a warning at any level.
    Poor,
    /// The bot did what the scenario forbids.
    Bad,
    /// The scenario took too long.
    TooLong,
}

/// How a bot failed to do what a scenario expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TrialFailure {
    /// The bot did not connect to its seat.
    Absent,
    /// The bot sent lines on several connections.
    ManyConnections,
    /// The bot resigned.
    Resigned,
    /// The bot's flag fell.
    FlagFell,
    /// The bot closed its connection during the game.
    Disconnected,
    /// The bot's process ended during the game.
    Crashed,
    /// The bot exceeded a limit.
    LimitExceeded,
    /// The bot sent one refused line after another.
    Stuck,
    /// The game did not end in time.
    TimedOut,
    /// A line was refused as illegal.
    Illegal,
    /// A line was refused as garbled.
    Garbled,
    /// The bot repeated a move that had been refused as illegal.
    SentAgain,
    /// The bot passed although it could have placed a stone to its advantage.
    PassedOver,
    /// The bot answered a pass with a pass that lost the game.
    PassedBack,
    /// The bot sent something after the end of the game.
    SpokeAfterEnd,
    /// The bot's process failed after the end of the game.
    FailedAfterEnd,
    /// The bot's process reported an exception after the end of the game, and exited with status 0.
    RaisedAfterEnd,
    /// The bot did not leave after the end of the game.
    Stayed,
    /// The bot used nearly all of its clock.
    UsedClock,
    /// The bot computed while it waited.
    Busy,
    /// The bot wrote too much to stderr.
    Flooded,
    /// The bot reported its thinking in a form that is ignored.
    Misspelt,
}

/// What a failure costs in a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCost {
    /// The game.
    Game,
    /// Time, and also the game if many of the bot's lines are refused (keys `illegal_tries` and `garbled_tries`).
    Tries,
    /// Nothing.
    Nothing,
}

impl FailureCost {
    /// What `failure` costs.
    pub const fn of(failure: TrialFailure) -> Self {
        failure.cost()
    }
}

impl TrialFailure {
    /// The failure of a bot whose line was refused as `kind`.
    pub(super) const fn of_refusal(kind: TryKind) -> Self {
        match kind {
            TryKind::Illegal => Self::Illegal,
            TryKind::Garbled => Self::Garbled,
        }
    }

    /// The cost of this failure in a tournament.
    const fn cost(self) -> FailureCost {
        match self {
            Self::Absent
            | Self::Resigned
            | Self::FlagFell
            | Self::Disconnected
            | Self::Crashed
            | Self::LimitExceeded
            | Self::Stuck
            | Self::TimedOut => FailureCost::Game,
            Self::Illegal | Self::Garbled | Self::SentAgain => FailureCost::Tries,
            Self::ManyConnections
            | Self::PassedOver
            | Self::PassedBack
            | Self::SpokeAfterEnd
            | Self::FailedAfterEnd
            | Self::RaisedAfterEnd
            | Self::Stayed
            | Self::UsedClock
            | Self::Busy
            | Self::Flooded
            | Self::Misspelt => FailureCost::Nothing,
        }
    }
}

/// What a check found wrong: how bad it is, and one or two sentences about it; printable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shortfall {
    finding: Finding,
    failure: Option<TrialFailure>,
    summary: String,
}

impl Shortfall {
    fn bad(failure: TrialFailure, summary: impl Into<String>) -> Self {
        Self { finding: Finding::Bad, failure: Some(failure), summary: summary.into() }
    }

    fn poor(failure: TrialFailure, summary: impl Into<String>) -> Self {
        Self { finding: Finding::Poor, failure: Some(failure), summary: summary.into() }
    }

    fn told(summary: impl Into<String>) -> Self {
        Self { finding: Finding::Told, failure: None, summary: summary.into() }
    }
}

/// Examines one aspect of one game. Returns `None` if all is well.
pub(super) type Check = fn(&BoutFacts) -> Option<Shortfall>;

impl Judgement {
    pub(super) const fn good() -> Self {
        Self { finding: Finding::Good, failure: None, summary: String::new(), decisive: 0 }
    }
}

/// The judgement with the worst finding of `checks` in `games`. Of several equally bad findings, the first counts.
pub(super) fn worst(games: &[BoutFacts], checks: &[Check]) -> Judgement {
    let mut judgement = Judgement::good();
    for (decisive, game) in games.iter().enumerate() {
        for Shortfall { finding, failure, summary } in checks.iter().filter_map(|check| check(game)) {
            if finding > judgement.finding {
                judgement = Judgement { finding, failure, summary, decisive };
            }
        }
    }
    judgement
}
