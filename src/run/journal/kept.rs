//! The part of a game that a ledger keeps: everything that the tables need, in little memory.

use std::sync::Arc;
use std::time::Duration;

use super::TextDigest;
use crate::game::BySide;
use crate::referee::moves_digest::MovesDigest;
use crate::referee::result::GameResult;
use crate::referee::time_control::SideControl;
use crate::referee::usage::Usage;
use crate::results::standings::GameSummary;

/// The data that the ledger keeps of the last record of a game. Texts are shared between games, and data that most games
/// lack is boxed, because a run may have a million games.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The game's number in the schedule, from 0.
    pub number: u64,
    /// How many records the journal has before this one.
    pub place: u64,
    /// The digest of the record's text.
    pub text: TextDigest,
    /// Why the game is void, if it is.
    pub void: Option<Box<str>>,
    id: Arc<str>,
    players: BySide<Arc<str>>,
    round: Option<u32>,
    result: Option<Arc<GameResult>>,
    plies: u32,
    /// The time used, in nanoseconds.
    used: BySide<u64>,
    left: Option<Box<BySide<Option<SideControl>>>>,
    usage: Option<Box<BySide<Option<Usage>>>>,
    starved: Option<bool>,
    has_odds: bool,
    moves: MovesDigest,
}

impl Kept {
    /// Keeps `game`, whose texts and `result` are shared with the ledger, as the record with this number and digest.
    pub(super) fn new(
        game: GameSummary<Arc<str>>,
        result: Option<Arc<GameResult>>,
        number: u64,
        text: TextDigest,
    ) -> Self {
        let GameSummary { game: id, round, players, result: _, plies, used, left, usage, starved, has_odds, moves } =
            game;
        let plies = u32::try_from(plies).unwrap_or(u32::MAX);
        let used = used.map(|used| u64::try_from(used.as_nanos()).unwrap_or(u64::MAX));
        let (left, usage) = (boxed(left), boxed(usage));
        Self {
            number,
            place: 0,
            text,
            void: None,
            id,
            players,
            round,
            result,
            plies,
            used,
            left,
            usage,
            starved,
            has_odds,
            moves,
        }
    }

    /// The same game, void for the reason `void` if there is one.
    pub(super) fn with_void(self, void: Option<Box<str>>) -> Self {
        Self { void, ..self }
    }

    /// The summary of the game for the standings.
    pub fn summary(&self) -> GameSummary<&str> {
        GameSummary {
            game: &self.id,
            round: self.round,
            players: self.players(),
            result: self.result().cloned(),
            plies: usize::try_from(self.plies).unwrap_or(usize::MAX),
            used: self.used.map(Duration::from_nanos),
            left: self.left.as_deref().copied().unwrap_or_default(),
            usage: self.usage.as_deref().copied().unwrap_or_default(),
            starved: self.starved,
            has_odds: self.has_odds,
            moves: self.moves,
        }
    }

    /// The game's id.
    pub(super) fn id(&self) -> Arc<str> {
        Arc::clone(&self.id)
    }

    /// The players' names.
    pub fn players(&self) -> BySide<&str> {
        self.players.as_ref().map(|name| &**name)
    }

    /// Whether `player` played the game.
    pub fn is_of(&self, player: &str) -> bool {
        *self.players.black == *player || *self.players.white == *player
    }

    /// The round, from 1.
    pub const fn round(&self) -> Option<u32> {
        self.round
    }

    /// The result, without its reason; `None` for a void game.
    pub fn result(&self) -> Option<&GameResult> {
        self.result.as_deref()
    }
}

/// `facts` in a box, or nothing if there is none of either side.
fn boxed<T>(facts: BySide<Option<T>>) -> Option<Box<BySide<Option<T>>>> {
    (facts.black.is_some() || facts.white.is_some()).then(|| Box::new(facts))
}
