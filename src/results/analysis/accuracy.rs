//! A player's accuracy, summed over its moves.

use super::{Analysis, AnalyzedMove, MoveQuality, Phase};
use crate::game::{Ruleset, Side};

/// In the ending of a game of Seegover, a side has at most this many stones, a third fewer than it has after the drops.
pub const FEW_STONES: u32 = 8;

/// Counts of moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveTally {
    /// All moves.
    pub moves: u64,
    /// Moves that could be judged, because the winner is known before and after them.
    pub judged: u64,
    /// Judged moves that changed the winner.
    pub blunders: u64,
    /// Judged moves with known margins before and after them.
    pub measured: u64,
    /// Measured moves that gave nothing away.
    pub exact: u64,
    /// The total number of stones given away by the measured moves.
    pub lost: u64,
}

impl MoveTally {
    fn add(&mut self, judged: &AnalyzedMove) {
        self.moves += 1;
        let Some(quality) = judged.quality() else { return };
        self.judged += 1;
        self.blunders += u64::from(quality == MoveQuality::Blunder);
        if let Some(lost) = judged.lost() {
            self.measured += 1;
            self.exact += u64::from(lost == 0);
            self.lost += u64::from(lost);
        }
    }

    /// The sum of `self` and `other`.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            moves: self.moves + other.moves,
            judged: self.judged + other.judged,
            blunders: self.blunders + other.blunders,
            measured: self.measured + other.measured,
            exact: self.exact + other.exact,
            lost: self.lost + other.lost,
        }
    }

    /// The proportion of judged moves that did not change the winner, from 0 to 1; `None` without judged moves.
    pub fn winner_kept(&self) -> Option<f64> {
        ratio(self.judged - self.blunders, self.judged)
    }

    /// The proportion of measured moves that gave nothing away, from 0 to 1; `None` without measured moves.
    pub fn margin_kept(&self) -> Option<f64> {
        ratio(self.exact, self.measured)
    }

    /// The average number of stones that a measured move gave away; `None` without measured moves.
    pub fn average_loss(&self) -> Option<f64> {
        ratio(self.lost, self.measured)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of moves")]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The rule sets of the games in which moves were judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GamesJudged {
    /// Gothello.
    Gothello,
    /// Seegover.
    Seegover,
    /// Gothello and Seegover.
    Both,
}

impl GamesJudged {
    /// The rule sets of `self` and `other`.
    const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Gothello, Self::Gothello) => Self::Gothello,
            (Self::Seegover, Self::Seegover) => Self::Seegover,
            _ => Self::Both,
        }
    }
}

impl From<Ruleset> for GamesJudged {
    fn from(ruleset: Ruleset) -> Self {
        match ruleset {
            Ruleset::Gothello => Self::Gothello,
            Ruleset::Seegover(_) => Self::Seegover,
            // Games under these rules are not judged.
            Ruleset::Quantum(_) => Self::Both,
        }
    }
}

/// A player's moves, counted by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// The rule sets of the games; `None` before the first game.
    pub games: Option<GamesJudged>,
    /// The opening.
    pub opening: MoveTally,
    /// The middle game.
    pub middle: MoveTally,
    /// The ending.
    pub end: MoveTally,
}

impl Accuracy {
    /// The accuracy of one side in a game. Moves of a given opening do not count.
    pub fn of(analysis: &Analysis, side: Side) -> Self {
        let mut accuracy = Self { games: Some(analysis.ruleset.into()), ..Self::default() };
        for judged in analysis.moves.iter().filter(|judged| judged.side == side && !judged.given) {
            accuracy.phase_mut(judged.phase).add(judged);
        }
        accuracy
    }

    fn phase_mut(&mut self, phase: Phase) -> &mut MoveTally {
        match phase {
            Phase::Opening => &mut self.opening,
            Phase::Middle => &mut self.middle,
            Phase::End => &mut self.end,
        }
    }

    /// The moves of one phase.
    pub const fn phase(&self, phase: Phase) -> MoveTally {
        match phase {
            Phase::Opening => self.opening,
            Phase::Middle => self.middle,
            Phase::End => self.end,
        }
    }

    /// The moves of all phases.
    pub const fn all(&self) -> MoveTally {
        self.opening.plus(self.middle).plus(self.end)
    }

    /// The sum of `self` and `other`.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        let games = match (self.games, other.games) {
            (Some(one), Some(two)) => Some(one.and(two)),
            (Some(one), None) => Some(one),
            (None, two) => two,
        };
        Self {
            games,
            opening: self.opening.plus(other.opening),
            middle: self.middle.plus(other.middle),
            end: self.end.plus(other.end),
        }
    }
}
