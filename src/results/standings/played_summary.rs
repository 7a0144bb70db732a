//! The summary of a game with any number of seats.

use super::{GameSummary, GroupSummary};
use crate::referee::record::LoggedGame;

/// The summary of a game with any number of seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayedSummary<S = String> {
    /// A game with two seats.
    Pair(GameSummary<S>),
    /// A game with more than two seats.
    Group(GroupSummary<S>),
}

impl From<&LoggedGame> for PlayedSummary {
    fn from(game: &LoggedGame) -> Self {
        match game {
            LoggedGame::Two(record) => Self::Pair(GameSummary::from(&**record)),
            LoggedGame::Group(record) => Self::Group(GroupSummary::from(&**record)),
        }
    }
}

impl<S> PlayedSummary<S> {
    /// The number of seats.
    pub fn seats(&self) -> u8 {
        match self {
            Self::Pair(_) => 2,
            Self::Group(game) => game.players.seats(),
        }
    }
}

impl PlayedSummary {
    /// The same summary, with its text borrowed.
    pub fn view(&self) -> PlayedSummary<&str> {
        match self {
            Self::Pair(game) => PlayedSummary::Pair(game.view()),
            Self::Group(game) => PlayedSummary::Group(game.view()),
        }
    }
}

impl PlayedSummary<&str> {
    /// The same summary, with owned text.
    pub fn to_summary(&self) -> PlayedSummary {
        match self {
            Self::Pair(game) => PlayedSummary::Pair(game.to_summary()),
            Self::Group(game) => PlayedSummary::Group(game.to_summary()),
        }
    }
}
