//! The summary of a game with any number of seats.

use super::GameSummary;
use crate::game::BySeat;
use crate::referee::record::{GroupRecord, LoggedGame};

/// The summary of a game with any number of seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayedSummary {
    /// A game of two seats.
    Pair(GameSummary),
    /// A game of more than two seats.
    Group(GroupSummary),
}

impl From<&LoggedGame> for PlayedSummary {
    fn from(game: &LoggedGame) -> Self {
        match game {
            LoggedGame::Two(record) => Self::Pair(GameSummary::from(&**record)),
            LoggedGame::Group(record) => Self::Group(GroupSummary::from(&**record)),
        }
    }
}

/// A game of more than two seats as represented in the standings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSummary<S = String> {
    /// The game's id; empty if the record has none.
    pub game: S,
    /// The players' names.
    pub players: BySeat<S>,
}

impl From<&GroupRecord> for GroupSummary {
    fn from(record: &GroupRecord) -> Self {
        Self {
            game: String::new(),
            players: BySeat::from_fn(record.rules.seats(), |seat| record.players[seat.index()].clone()),
        }
    }
}
