//! The result of a tournament according to its own format: the leader of a Swiss tournament, or the winner of a
//! knockout.
//!
//! Ratings are an estimate; this result is what the tournament is played for. It is based on the rounds that the
//! schedule has drawn and on all games with a result, even if the standings leave some of them out.
//! docs/reference/formats.md contains the formulas.

mod knockout;
mod swiss;

use std::collections::HashMap;

pub use knockout::{BracketPairing, BracketRound, BracketSeat, KnockoutPlace, KnockoutResult, WonBy};
pub use swiss::{SwissPlace, SwissResult, SwissRound};

use crate::game::{BySide, Side};
use crate::referee::result::{GameResult, Termination};
use crate::tournament::Format;
use crate::tournament::schedule::{Decided, DrawnRound, PlayerIndex};

/// The current result of a tournament according to its own format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormatResult {
    /// The result of a Swiss tournament.
    Swiss(SwissResult),
    /// The result of a knockout.
    Knockout(KnockoutResult),
}

/// A tournament with the rounds drawn and the games played so far.
#[derive(Clone, Copy, Debug)]
pub struct PlayedTournament<'t> {
    /// The tournament's format.
    pub format: &'t Format,
    /// The names of the players, in the order of the tournament file.
    pub names: &'t [String],
    /// The rounds drawn so far.
    pub drawn: &'t [DrawnRound],
    /// The games that have a result.
    pub games: &'t PlayedGames,
    /// Whether no game is missing.
    pub is_complete: bool,
}

impl FormatResult {
    /// Whether tournaments of `format` have their own kind of result.
    pub const fn is_of(format: &Format) -> bool {
        matches!(format, Format::Swiss { .. } | Format::Knockout { .. })
    }

    /// The result of `tournament`; `None` if its format does not have its own result.
    pub fn of(tournament: PlayedTournament<'_>) -> Option<Self> {
        match tournament.format {
            Format::Swiss { rounds, legs, .. } => Some(Self::Swiss(SwissResult::new(tournament, rounds.get(), *legs))),
            Format::Knockout { .. } => Some(Self::Knockout(KnockoutResult::new(tournament))),
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Group { .. }
            | Format::Sprt { .. }
            | Format::Ladder => None,
        }
    }

    /// Whether the tournament is over.
    pub const fn is_final(&self) -> bool {
        match self {
            Self::Swiss(swiss) => swiss.is_final,
            Self::Knockout(knockout) => knockout.champion.is_some(),
        }
    }

    /// The names of all players.
    pub fn players(&self) -> impl Iterator<Item = &str> {
        let (swiss, knockout) = match self {
            Self::Swiss(swiss) => (Some(swiss), None),
            Self::Knockout(knockout) => (None, Some(knockout)),
        };
        let swiss = swiss.into_iter().flat_map(|swiss| &swiss.places).map(|place| place.player.as_str());
        let knockout = knockout.into_iter().flat_map(|knockout| &knockout.places).map(|place| place.player.as_str());
        swiss.chain(knockout)
    }

    /// The players in the order of their places, each with its place; a player that is still in a knockout has none.
    pub fn placed(&self) -> Vec<(&str, Option<usize>)> {
        match self {
            Self::Swiss(swiss) => swiss.places.iter().map(|one| (one.player.as_str(), Some(one.place))).collect(),
            Self::Knockout(knockout) => knockout.places.iter().map(|one| (one.player.as_str(), one.place)).collect(),
        }
    }

    /// For each player in the order of the places, what decides the place, in a word or two: `3.5` points in a Swiss
    /// tournament; in a knockout, `round 2` if the player is still in, `out`, or `champion`.
    pub fn reasons(&self) -> Vec<String> {
        let reached = |one: &KnockoutPlace| match one.place {
            None => format!("round {}", one.round),
            Some(1) => "champion".to_owned(),
            Some(_) => "out".to_owned(),
        };
        match self {
            Self::Swiss(swiss) => {
                swiss.places.iter().map(|one| (f64::from(one.half_points) / 2.0).to_string()).collect()
            }
            Self::Knockout(knockout) => knockout.places.iter().map(reached).collect(),
        }
    }

    /// The same result with each name replaced by its image under `rename`.
    #[must_use]
    pub fn renamed(mut self, rename: impl Fn(&str) -> String) -> Self {
        let names: Vec<&mut String> = match &mut self {
            Self::Swiss(swiss) => swiss.names_mut(),
            Self::Knockout(knockout) => knockout.names_mut(),
        };
        for name in names {
            *name = rename(name);
        }
        if let Self::Swiss(swiss) = &mut self {
            // Players that share a place are in the order of their names, and this order must not reveal the
            // original names.
            swiss.places.sort_by(|one, other| (one.place, &one.player).cmp(&(other.place, &other.player)));
        }
        self
    }
}

/// The totals of a tournament's games, by round and pairing.
#[derive(Clone, Debug, Default)]
pub struct PlayedGames(HashMap<(u32, PlayerIndex, PlayerIndex), PairingScore>);

/// The totals of a pairing's games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PairingScore {
    games: u32,
    /// The half points of the player with the smaller index, and those of the other player.
    half_points: [u32; 2],
    /// The number of games that were not played because a player was absent or could not be started.
    unplayed: u32,
}

impl PlayedGames {
    /// Adds a game of round `round` that ended with `result`.
    pub fn add(&mut self, round: u32, players: BySide<PlayerIndex>, result: &GameResult) {
        let BySide { black, white } = players;
        let score = self.0.entry((round, black.min(white), black.max(white))).or_default();
        score.games += 1;
        score.unplayed += u32::from(is_unplayed(result.termination()));
        let decided = Decided::from(result);
        for side in Side::BOTH {
            let place = usize::from(players[side] != black.min(white));
            score.half_points[place] += u32::from(decided.half_points(side));
        }
    }

    /// The score of `player` against `opponent` in round `round`, with the player's half points first.
    fn score(&self, round: u32, player: PlayerIndex, opponent: PlayerIndex) -> PairingScore {
        let found = self.0.get(&(round, player.min(opponent), player.max(opponent)));
        let mut score = found.copied().unwrap_or_default();
        if opponent < player {
            score.half_points.swap(0, 1);
        }
        score
    }
}

/// Whether a game with this `termination` was over before both players were seated.
const fn is_unplayed(termination: Termination) -> bool {
    matches!(termination, Termination::NoShow | Termination::NotStarted | Termination::DoubleForfeit)
}

#[cfg(test)]
mod tests;
