//! What a game leaves, with any number of seats.

use std::fmt;
use std::str::FromStr;

use super::{GameRecord, GroupRecord, LogTextError, LoggedGame};
use crate::game::{Move, Ruleset, Side};
use crate::referee::result::Void;

impl LoggedGame {
    /// The record of a game of two seats.
    pub const fn pair(&self) -> Option<&GameRecord> {
        match self {
            Self::Two(record) => Some(record),
            Self::Group(_) => None,
        }
    }

    /// The record of a game of two seats.
    pub fn into_pair(self) -> Option<GameRecord> {
        match self {
            Self::Two(record) => Some(*record),
            Self::Group(_) => None,
        }
    }

    /// The record of a game of more than two seats.
    pub const fn group(&self) -> Option<&GroupRecord> {
        match self {
            Self::Two(_) => None,
            Self::Group(record) => Some(record),
        }
    }

    /// The game's id.
    pub fn game(&self) -> Option<&str> {
        match self {
            Self::Two(record) => record.game.as_deref(),
            Self::Group(_) => None,
        }
    }

    /// Gives the game the id `game`.
    pub fn set_game(&mut self, game: String) {
        match self {
            Self::Two(record) => record.game = Some(game),
            Self::Group(_) => {}
        }
    }

    /// The rules.
    pub fn ruleset(&self) -> Ruleset {
        match self {
            Self::Two(record) => record.ruleset,
            Self::Group(record) => Ruleset::Quantum(record.rules),
        }
    }

    /// The moves in order.
    pub fn moves(&self) -> Box<dyn Iterator<Item = Move> + '_> {
        match self {
            Self::Two(record) => Box::new(record.plies.iter().map(|ply| ply.played)),
            Self::Group(record) => Box::new(record.moves.iter().copied()),
        }
    }

    /// Every player's name and the digest of its program, if that was recorded, in the order of the seats.
    pub fn programs(&self) -> Vec<(&str, Option<&str>)> {
        match self {
            Self::Two(record) => Side::BOTH
                .into_iter()
                .map(|side| (record.players[side].as_str(), record.digests[side].as_deref()))
                .collect(),
            Self::Group(record) => record.players.iter().map(|name| (name.as_str(), None)).collect(),
        }
    }

    /// The tags that have no meaning to the rules.
    pub fn other_tags(&self) -> &[(String, String)] {
        match self {
            Self::Two(record) => &record.other_tags,
            Self::Group(_) => &[],
        }
    }

    /// Why the game has no result; `None` if it has one.
    pub fn void(&self) -> Option<&Void> {
        match self {
            Self::Two(record) => record.result.as_ref().err(),
            Self::Group(_) => None,
        }
    }
}

impl From<GameRecord> for LoggedGame {
    fn from(record: GameRecord) -> Self {
        Self::Two(Box::new(record))
    }
}

/// Writes the game's log.
impl fmt::Display for LoggedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Two(record) => record.fmt(f),
            Self::Group(_) => Ok(()),
        }
    }
}

impl FromStr for LoggedGame {
    type Err = LogTextError;

    fn from_str(text: &str) -> Result<Self, LogTextError> {
        Self::from_bytes(text.as_bytes())
    }
}
