//! The parts of the results so far that matter to a schedule.

use std::collections::HashMap;

use super::GameId;
use crate::game::Side;
use crate::referee::moves_digest::MovesDigest;
use crate::referee::record::{GameRecord, LoggedGame};
use crate::referee::result::{GameResult, Termination};
use crate::tournament::sprt::PlayedPair;

/// How a game ended. A void game has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decided {
    /// This side won, for whatever reason.
    Won(Side),
    /// The game was drawn.
    Drawn,
    /// Both sides lost.
    BothForfeited,
    /// The seats of a game with more than two seats were placed in an order. Only formats whose games are all known
    /// from the start have such games.
    Placed,
}

impl Decided {
    /// Returns the half points of `side` in a game with two seats: 2 for a win, 1 for a draw.
    pub fn half_points(self, side: Side) -> u8 {
        match self {
            Self::Won(winner) if winner == side => 2,
            Self::Drawn => 1,
            Self::Won(_) | Self::BothForfeited | Self::Placed => 0,
        }
    }
}

impl From<&GameResult> for Decided {
    fn from(result: &GameResult) -> Self {
        match result.winner() {
            Some(winner) => Self::Won(winner),
            None if result.termination() == Termination::DoubleForfeit => Self::BothForfeited,
            None => Self::Drawn,
        }
    }
}

/// How a game ended, and which moves were played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KnownEnding {
    /// How the game ended.
    pub decided: Decided,
    /// The fingerprint of its moves; `None` if there were no moves, in which case the game does not count as a repeat
    /// of another.
    pub moves: Option<u64>,
}

impl KnownEnding {
    /// Returns how a game ended; `None` if it is void.
    pub fn of(game: &LoggedGame) -> Option<Self> {
        match game {
            LoggedGame::Two(record) => Self::of_pair(record),
            LoggedGame::Group(_) => game.void().is_none().then(|| Self::from(Decided::Placed)),
        }
    }

    /// Returns how a game with two seats ended; `None` if it is void.
    pub fn of_pair(record: &GameRecord) -> Option<Self> {
        let decided = Decided::from(record.result.as_ref().ok()?);
        let moves = record.plies.iter().map(|ply| ply.played);
        Some(Self { decided, moves: (moves.len() > 0).then(|| MovesDigest::of(moves).fingerprint()) })
    }

    /// Returns the pair of two games; the first player had black in the first of them.
    pub fn pair(as_black: Self, as_white: Self) -> PlayedPair {
        Self::pair_on([(Side::Black, as_black), (Side::White, as_white)])
    }

    /// Returns the pair of two games, each preceded by the first player's side in it.
    pub fn pair_on([(side, one), (other_side, other)]: [(Side, Self); 2]) -> PlayedPair {
        PlayedPair {
            half_points: one.decided.half_points(side) + other.decided.half_points(other_side),
            moves: one.moves.zip(other.moves).map(<[u64; 2]>::from),
        }
    }
}

/// Creates the ending of a game without moves.
impl From<Decided> for KnownEnding {
    fn from(decided: Decided) -> Self {
        Self { decided, moves: None }
    }
}

/// The games that have ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results(HashMap<GameId, KnownEnding>);

impl Results {
    /// Creates an empty collection with capacity for `games` games.
    pub fn with_room(games: usize) -> Self {
        Self(HashMap::with_capacity(games))
    }

    /// Records how a game ended.
    pub fn insert(&mut self, game: GameId, ended: impl Into<KnownEnding>) {
        self.0.insert(game, ended.into());
    }

    /// Returns how the game with this id ended, if it has.
    pub fn get(&self, game: &str) -> Option<Decided> {
        self.ended(game).map(|ended| ended.decided)
    }

    /// Returns how the game with this id ended and which moves were played, if it has ended.
    pub fn ended(&self, game: &str) -> Option<KnownEnding> {
        self.0.get(game).copied()
    }

    /// Returns how many games have ended.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether no game has ended.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<E: Into<KnownEnding>> FromIterator<(GameId, E)> for Results {
    fn from_iter<I: IntoIterator<Item = (GameId, E)>>(games: I) -> Self {
        Self(games.into_iter().map(|(game, ended)| (game, ended.into())).collect())
    }
}
