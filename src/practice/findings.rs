//! Findings about the moves of a game.

use std::fmt;

use crate::game::{Move, Outcome, Side};
use crate::results::analysis::AnalyzedMove;

/// What is known about the value of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MoveValue {
    /// The outcome with best play, perhaps without the margin.
    pub(crate) outcome: Outcome,
    /// The number of plies to the end, if it is known.
    pub(crate) plies: Option<u32>,
}

impl MoveValue {
    /// A number that is greater for moves that are better for `side`.
    pub(crate) fn rank(self, side: Side) -> (i32, i32, i64) {
        let score = side.score(self.outcome.winner);
        let plies = self.plies.map_or(0, i64::from);
        (score, self.outcome.lead(side).unwrap_or(0), -i64::from(score) * plies)
    }
}

impl From<Outcome> for MoveValue {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, plies: None }
    }
}

/// Writes `black wins by 3`, `white wins`, `draw` or `black wins in 5 plies`.
impl fmt::Display for MoveValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plies {
            None => self.outcome.fmt(f),
            Some(1) => write!(f, "{} in 1 ply", self.outcome),
            Some(plies) => write!(f, "{} in {plies} plies", self.outcome),
        }
    }
}

/// A part of the answer to a question. A later finding about the same thing replaces an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MoveFinding {
    /// What a legal move is worth.
    Value(Move, MoveValue),
    /// What a move gave away.
    Judged(AnalyzedMove),
    /// Best play from the position before the move.
    BetterLine(Vec<Move>),
    /// The reason why not everything is known, in printable text.
    Lack(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_moves_rank_higher_and_the_loser_delays() {
        let value = |margin: i32| MoveValue::from(Outcome::of_margin(margin));
        assert!(value(3).rank(Side::Black) > value(1).rank(Side::Black));
        assert!(value(3).rank(Side::White) < value(0).rank(Side::White));
        let won_by =
            |winner, plies| MoveValue { outcome: Outcome { winner: Some(winner), margin: None }, plies: Some(plies) };
        assert!(won_by(Side::Black, 3).rank(Side::Black) > won_by(Side::Black, 9).rank(Side::Black));
        assert!(won_by(Side::White, 3).rank(Side::Black) < won_by(Side::White, 9).rank(Side::Black));
    }
}
