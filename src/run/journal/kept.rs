//! The data that a ledger keeps about a game: everything that the tables need, in little memory.

use std::sync::Arc;
use std::time::Duration;

use super::TextDigest;
use super::kept_group::KeptGroup;
use crate::game::{BySeat, BySide};
use crate::host::bot_output::BotOutput;
use crate::referee::moves_digest::MovesDigest;
use crate::referee::result::{GameResult, Termination};
use crate::referee::time_control::SideControl;
use crate::referee::usage::Usage;
use crate::results::standings::{GameSummary, GroupSummary, PlayedSummary, ThoughtMeans};
use crate::tournament::schedule::{Decided, KnownEnding};

/// The data that the ledger keeps from the last record of a game. Strings are shared between games, and data that most
/// games lack is boxed, because a run may have a million games.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The game's number in the schedule, from 0.
    pub number: u64,
    /// How many records precede this record in the journal.
    pub place: u64,
    /// The digest of the record's text.
    pub text: TextDigest,
    /// Why the game is void, if it is.
    pub void: Option<Box<str>>,
    id: Arc<str>,
    round: Option<u32>,
    facts: KeptFacts,
}

/// The facts that depend on how many seats the game had.
#[derive(Clone, Debug)]
enum KeptFacts {
    Pair(KeptPair),
    Group(Box<KeptGroup>),
}

/// The facts about a game with two seats.
#[derive(Clone, Debug)]
struct KeptPair {
    players: BySide<Arc<str>>,
    result: Option<Arc<GameResult>>,
    plies: u32,
    /// The time used, in nanoseconds.
    used: BySide<u64>,
    left: Option<Box<BySide<Option<SideControl>>>>,
    usage: Option<Box<BySide<Option<Usage>>>>,
    starved: Option<bool>,
    has_odds: bool,
    thoughts: Option<Box<BySide<ThoughtMeans>>>,
    moves: MovesDigest,
}

impl KeptPair {
    /// The summary of the game, whose id is `game`.
    fn summary<'k>(&'k self, game: &'k str, round: Option<u32>) -> GameSummary<&'k str> {
        GameSummary {
            game,
            round,
            players: self.players.as_ref().map(|name| &**name),
            result: self.result.as_deref().cloned(),
            plies: usize::try_from(self.plies).unwrap_or(usize::MAX),
            used: self.used.map(Duration::from_nanos),
            left: self.left.as_deref().copied().unwrap_or_default(),
            usage: self.usage.as_deref().copied().unwrap_or_default(),
            starved: self.starved,
            has_odds: self.has_odds,
            thoughts: self.thoughts.clone(),
            moves: self.moves,
        }
    }
}

impl Kept {
    /// Keeps `game`, whose strings and `result` are shared with the ledger, as the record with this number and digest.
    pub(super) fn of_pair(
        game: GameSummary<Arc<str>>,
        result: Option<Arc<GameResult>>,
        place: (u64, TextDigest),
    ) -> Self {
        let GameSummary {
            game: id,
            round,
            players,
            result: _,
            plies,
            used,
            left,
            usage,
            starved,
            has_odds,
            thoughts,
            moves,
        } = game;
        let plies = u32::try_from(plies).unwrap_or(u32::MAX);
        let used = used.map(|used| u64::try_from(used.as_nanos()).unwrap_or(u64::MAX));
        let (left, usage) = (boxed(left), boxed(usage));
        let pair = KeptPair { players, result, plies, used, left, usage, starved, has_odds, thoughts, moves };
        Self::new((id, round), KeptFacts::Pair(pair), place)
    }

    /// Keeps `game`, whose strings are shared with the ledger, as the record with this number and digest.
    pub(super) fn of_group(game: GroupSummary<Arc<str>>, place: (u64, TextDigest)) -> Self {
        let (id, round) = (Arc::clone(&game.game), game.round);
        Self::new((id, round), KeptFacts::Group(Box::new(KeptGroup::of(game))), place)
    }

    fn new((id, round): (Arc<str>, Option<u32>), facts: KeptFacts, (number, text): (u64, TextDigest)) -> Self {
        Self { number, place: 0, text, void: None, id, round, facts }
    }

    /// The same game, but void for the reason `void`, or not void if `void` is `None`.
    pub(super) fn with_void(self, void: Option<Box<str>>) -> Self {
        Self { void, ..self }
    }

    /// The summary of the game for the standings, if it had two seats.
    pub fn pair(&self) -> Option<GameSummary<&str>> {
        match &self.facts {
            KeptFacts::Pair(pair) => Some(pair.summary(&self.id, self.round)),
            KeptFacts::Group(_) => None,
        }
    }

    /// The summary of the game for the standings, if it had more than two seats.
    pub fn group(&self) -> Option<GroupSummary<&str>> {
        match &self.facts {
            KeptFacts::Pair(_) => None,
            KeptFacts::Group(group) => Some(group.summary(&self.id, self.round)),
        }
    }

    /// The summary of the game for the standings.
    pub fn summary(&self) -> PlayedSummary<&str> {
        match &self.facts {
            KeptFacts::Pair(pair) => PlayedSummary::Pair(pair.summary(&self.id, self.round)),
            KeptFacts::Group(group) => PlayedSummary::Group(group.summary(&self.id, self.round)),
        }
    }

    /// The game's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The game's id, shared with the ledger.
    pub(super) fn shared_id(&self) -> Arc<str> {
        Arc::clone(&self.id)
    }

    /// Whether `player` played the game.
    pub fn is_of(&self, player: &str) -> bool {
        match &self.facts {
            KeptFacts::Pair(KeptPair { players, .. }) => *players.black == *player || *players.white == *player,
            KeptFacts::Group(group) => group.is_of(player),
        }
    }

    /// The outputs of the game's bots if none of them wrote anything.
    pub(crate) fn no_outputs(&self) -> BySeat<BotOutput> {
        let seats = match &self.facts {
            KeptFacts::Pair(_) => 2,
            KeptFacts::Group(group) => group.seats(),
        };
        BySeat::from_fn(seats, |_| BotOutput::default())
    }

    /// The round, from 1.
    pub const fn round(&self) -> Option<u32> {
        self.round
    }

    /// Whether the game has a result; otherwise, the game is void.
    pub const fn has_result(&self) -> bool {
        self.void.is_none()
    }

    /// The result of a game with two seats, without its reason; `None` for a void game.
    pub fn result(&self) -> Option<&GameResult> {
        match &self.facts {
            KeptFacts::Pair(pair) => pair.result.as_deref(),
            KeptFacts::Group(_) => None,
        }
    }

    /// Whether the game, or a player's part in the game, ended with `ending`.
    pub fn is_ended_by(&self, ending: Termination) -> bool {
        match &self.facts {
            KeptFacts::Pair(pair) => pair.result.as_deref().is_some_and(|result| result.termination() == ending),
            KeptFacts::Group(group) => group.is_ended_by(ending),
        }
    }

    /// How the game ended, as needed by the schedule; `None` if the game is void.
    pub fn ended(&self) -> Option<KnownEnding> {
        match &self.facts {
            KeptFacts::Pair(_) => self.pair()?.ended(),
            KeptFacts::Group(_) => self.has_result().then(|| KnownEnding::from(Decided::Placed)),
        }
    }
}

/// `facts` in a box; `None` if there are no facts about either side.
fn boxed<T>(facts: BySide<Option<T>>) -> Option<Box<BySide<Option<T>>>> {
    (facts.black.is_some() || facts.white.is_some()).then(|| Box::new(facts))
}
