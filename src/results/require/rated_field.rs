//! The standings to which requirements apply, for any number of seats.

use crate::results::rating::{Basis, Elo};
use crate::results::standings::{Anchor, FieldStandings, GroupStandings, RunState, Standings};

/// Standings of games with two seats, or with more.
#[derive(Clone, Copy, Debug)]
pub enum RatedField<'g> {
    /// Standings of games with two seats.
    Pairs(&'g Standings),
    /// Standings of games with more than two seats.
    Groups(&'g GroupStandings),
}

impl<'g> From<&'g Standings> for RatedField<'g> {
    fn from(standings: &'g Standings) -> Self {
        Self::Pairs(standings)
    }
}

impl<'g> From<&'g GroupStandings> for RatedField<'g> {
    fn from(standings: &'g GroupStandings) -> Self {
        Self::Groups(standings)
    }
}

impl<'g> From<&'g FieldStandings> for RatedField<'g> {
    fn from(standings: &'g FieldStandings) -> Self {
        match standings {
            FieldStandings::Pairs(standings) => Self::Pairs(standings),
            FieldStandings::Groups(standings) => Self::Groups(standings),
        }
    }
}

impl<'g> RatedField<'g> {
    /// The players' names, best first.
    pub(super) fn names(self) -> Vec<&'g str> {
        match self {
            Self::Pairs(standings) => standings.rows().iter().map(|row| row.player.as_str()).collect(),
            Self::Groups(standings) => standings.rows().iter().map(|row| row.player.as_str()).collect(),
        }
    }

    /// The state of the run.
    pub(super) const fn run(self) -> &'g RunState {
        match self {
            Self::Pairs(standings) => standings.run(),
            Self::Groups(standings) => standings.run(),
        }
    }

    /// The players whose ratings were given.
    pub(super) fn anchors(self) -> &'g [Anchor] {
        match self {
            Self::Pairs(standings) => standings.anchors(),
            Self::Groups(standings) => standings.anchors(),
        }
    }

    /// The player in `row`.
    pub(super) fn player(self, row: usize) -> &'g str {
        match self {
            Self::Pairs(standings) => &standings.rows()[row].player,
            Self::Groups(standings) => &standings.rows()[row].player,
        }
    }

    /// The component of the player in `row`.
    pub(super) fn component(self, row: usize) -> usize {
        match self {
            Self::Pairs(standings) => standings.rows()[row].component,
            Self::Groups(standings) => standings.rows()[row].component,
        }
    }

    /// What the rating of the player in `row` is based on.
    pub(super) fn basis(self, row: usize) -> Basis {
        match self {
            Self::Pairs(standings) => standings.rows()[row].basis,
            Self::Groups(standings) => standings.rows()[row].basis,
        }
    }

    /// The probability that the player in `row` is stronger than the player in the row `other`.
    pub(super) fn superiority(self, row: usize, other: usize) -> Option<f64> {
        match self {
            Self::Pairs(standings) => standings.superiority(row, other),
            Self::Groups(standings) => standings.superiority(row, other),
        }
    }

    /// The probability that the rating of the player in `row` is above `elo`.
    pub(super) fn superiority_over(self, row: usize, elo: Elo) -> Option<f64> {
        match self {
            Self::Pairs(standings) => standings.superiority_over(row, elo),
            Self::Groups(standings) => standings.superiority_over(row, elo),
        }
    }
}
