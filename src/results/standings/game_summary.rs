//! The data of a game that the standings keep after the game's log is written.

use std::time::Duration;

use super::ThoughtMeans;
use crate::game::BySide;
use crate::referee::moves_digest::MovesDigest;
use crate::referee::record::{GameRecord, ODDS_TAG};
use crate::referee::result::GameResult;
use crate::referee::time_control::SideControl;
use crate::referee::usage::Usage;
use crate::tournament::schedule::{Decided, KnownEnding};

/// A game as represented in results.csv and in the standings.
///
/// `S` is the type of its text fields: with `&str`, a million games can be read without copying.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSummary<S = String> {
    /// The game's id; empty if the record has none.
    pub game: S,
    /// The round, from 1.
    pub round: Option<u32>,
    /// The players' names.
    pub players: BySide<S>,
    /// The result, without its reason; `None` for a void game.
    pub result: Option<GameResult>,
    /// How many moves were accepted.
    pub plies: usize,
    /// The total time used, according to the record.
    pub used: BySide<Duration>,
    /// The part of each side's time control that remained at the end, if known.
    pub left: BySide<Option<SideControl>>,
    /// The resources used by each player's processes, if known.
    pub usage: BySide<Option<Usage>>,
    /// After a loss on time: whether the loser was starved for longer than it ran. `None` if this is unknown, and for
    /// all other games.
    pub starved: Option<bool>,
    /// Whether a player had its own handicap or compensation.
    pub has_odds: bool,
    /// What each side claimed about its positions; `None` if neither claimed anything.
    pub thoughts: Option<Box<BySide<ThoughtMeans>>>,
    /// A digest of the moves.
    pub moves: MovesDigest,
}

impl<S> GameSummary<S> {
    /// Whether the game can repeat another game or be repeated.
    pub(crate) const fn can_repeat(&self) -> bool {
        super::repeats::can_repeat(self.result.is_some(), self.plies)
    }

    /// How the game ended, for the schedule; `None` if it is void.
    pub fn ended(&self) -> Option<KnownEnding> {
        let moves = self.can_repeat().then(|| self.moves.fingerprint());
        Some(KnownEnding { decided: Decided::from(self.result.as_ref()?), moves })
    }

    /// The same summary with the text fields `game` and `players`.
    pub(crate) fn with_texts<T>(&self, game: T, players: BySide<T>) -> GameSummary<T> {
        let &Self {
            game: _,
            round,
            players: _,
            ref result,
            plies,
            used,
            left,
            usage,
            starved,
            has_odds,
            ref thoughts,
            moves,
        } = self;
        let (result, thoughts) = (result.clone(), thoughts.clone());
        GameSummary { game, round, players, result, plies, used, left, usage, starved, has_odds, thoughts, moves }
    }
}

impl GameSummary {
    /// The same summary, with its text borrowed.
    pub fn view(&self) -> GameSummary<&str> {
        self.with_texts(&self.game, self.players.as_ref().map(String::as_str))
    }
}

impl GameSummary<&str> {
    /// The same summary, with owned text.
    pub fn to_summary(&self) -> GameSummary {
        self.with_texts(self.game.to_owned(), self.players.map(str::to_owned))
    }
}

impl From<&GameRecord> for GameSummary {
    fn from(record: &GameRecord) -> Self {
        Self {
            game: record.game.clone().unwrap_or_default(),
            round: record.round,
            players: record.players.clone(),
            result: record.result.as_ref().ok().map(without_reason),
            plies: record.plies.len(),
            used: BySide::from_fn(|side| record.used(side)),
            left: BySide::from_fn(|side| record.left(side)),
            usage: record.usage,
            starved: record.starved_loss().map(|(_, starvation)| starvation.explains_time_loss()),
            has_odds: record.other_tags.iter().any(|(name, _)| name == ODDS_TAG),
            thoughts: ThoughtMeans::of_both(BySide::from_fn(|side| ThoughtMeans::of(record, side))),
            moves: MovesDigest::of(record.plies.iter().map(|ply| ply.played)),
        }
    }
}

fn without_reason(result: &GameResult) -> GameResult {
    GameResult::new(result.winner(), result.termination(), result.margin(), None)
        .expect("the parts of a result form a result")
}
