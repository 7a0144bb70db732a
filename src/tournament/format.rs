//! The format of a tournament: who meets whom, and how often.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::sprt::Sprt;
use crate::base::units::counted;

/// The format of a tournament: which players meet, and how often. See docs/reference/formats.md for the guarantees of
/// each format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum Format {
    /// Each pair of players meets twice a round, once with each colour.
    RoundRobin {
        /// The number of rounds.
        rounds: NonZeroU32,
    },
    /// Each challenger meets every player that is not a challenger twice a round, once with each colour.
    Gauntlet {
        /// The number of rounds.
        rounds: NonZeroU32,
        /// The challengers by their index among the players, ascending: at least one player, and not all of them.
        challengers: Vec<usize>,
    },
    /// Each round pairs players with similar scores that have not met.
    Swiss {
        /// The number of rounds: at most the number of a player's possible opponents, counting a bye as an opponent.
        rounds: NonZeroU32,
        /// The games in a pairing.
        legs: Legs,
    },
    /// The loser of a pairing is out. The players are seeded in the order in which the file lists them.
    Knockout {
        /// A pairing is the best of `pairs` colour-swapped pairs of games.
        pairs: NonZeroU32,
    },
    /// Players meet at tables. The players at a table play one game for each seat, so that each player has every
    /// seat once.
    Group {
        /// The number of rounds.
        rounds: NonZeroU32,
        /// The tables of a round.
        tables: TablesEach,
    },
    /// Two players meet in colour-swapped pairs of games until one hypothesis about the strength of the first
    /// player is accepted.
    Sprt {
        /// The test.
        test: Sprt,
        /// The maximum number of pairs.
        max_pairs: NonZeroU32,
    },
    /// Players hand in versions while the games are played, and each game is chosen based on the results so far.
    Ladder,
}

/// The games in a pairing of a Swiss tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Legs {
    /// One game; colours are balanced from round to round.
    One,
    /// Two games, one with each colour.
    Two,
}

/// The tables at which each player sits in a round of the format `group`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TablesEach {
    /// There is a table for every set of players.
    All,
    /// Each player sits at this many tables.
    Number(NonZeroU32),
}

/// Writes the value as in the file: `all`, or the number.
impl fmt::Display for TablesEach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Number(number) => number.fmt(f),
        }
    }
}

impl Legs {
    /// The number of games in a pairing.
    pub const fn games(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// Writes the format as it is named in messages, with its size: `5 rounds`, `swiss, 4 rounds of 2 games`, `knockout,
/// best of 3 pairs`. Two formats have the same text if and only if they are equal.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundRobin { rounds } => write!(f, "{}", counted(rounds.get(), "round")),
            Self::Gauntlet { rounds, challengers } => {
                write!(f, "gauntlet of {}, {}", ListedPlayers(challengers), counted(rounds.get(), "round"))
            }
            Self::Swiss { rounds, legs } => {
                write!(f, "swiss, {} of {}", counted(rounds.get(), "round"), counted(legs.games(), "game"))
            }
            Self::Knockout { pairs } => write!(f, "knockout, best of {}", counted(pairs.get(), "pair")),
            Self::Group { rounds, tables: TablesEach::All } => {
                write!(f, "group, {} of all tables", counted(rounds.get(), "round"))
            }
            Self::Group { rounds, tables: TablesEach::Number(tables) } => {
                write!(f, "group, {} of {} a player", counted(rounds.get(), "round"), counted(tables.get(), "table"))
            }
            Self::Sprt { test, max_pairs } => write!(f, "sprt, {test}, at most {}", counted(max_pairs.get(), "pair")),
            Self::Ladder => f.write_str("ladder"),
        }
    }
}

/// The challengers, as player numbers that start from 1.
struct ListedPlayers<'a>(&'a [usize]);

impl fmt::Display for ListedPlayers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(|index| (index + 1).to_string()).collect();
        write!(f, "player{} {}", if numbers.len() == 1 { "" } else { "s" }, numbers.join(" and "))
    }
}
