//! The facts that a ladder keeps about the games that have ended: their results by pair, and everything else that the
//! next decisions depend on.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::ladder_history::{LadderHistory, LadderPlayer};
use super::line::JournalEntry;
use crate::game::{BySide, Outcome, Side};
use crate::referee::moves_digest::MovesDigest;
use crate::referee::result::{GameResult, Termination};
use crate::results::ladder::{LadderCounts, Selection};
use crate::results::standings::GameSummary;
use crate::tournament::schedule::{LadderFixture, PlayerIndex};

/// The number of seconds in a day.
pub(crate) const DAY: i64 = 86_400;

/// For how many days the results are kept.
const DAYS_KEPT: usize = 9;

/// How many lost games of each player are kept.
const LOST: usize = 10;

/// How a game ended, as far as a ladder is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameOutcome {
    /// The winner; `None` after a draw.
    pub winner: Option<Side>,
    /// Whether the game counts for the ratings. It does not count if both players failed.
    pub is_rated: bool,
    /// The side that lost because it crashed, did not show up or could not be started.
    pub failed: Option<Side>,
}

impl From<&GameResult> for GameOutcome {
    fn from(result: &GameResult) -> Self {
        let (winner, termination) = (result.winner(), result.termination());
        let failed = matches!(termination, Termination::Crash | Termination::NoShow | Termination::NotStarted);
        Self {
            winner,
            is_rated: termination != Termination::DoubleForfeit,
            failed: winner.map(Side::opponent).filter(|_| failed),
        }
    }
}

/// A game that a version lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LostFixture {
    /// The number of the game.
    pub number: u64,
    /// The game.
    pub fixture: LadderFixture,
    /// The side that lost.
    pub side: Side,
}

/// The facts that a ladder keeps about the games that have ended. They take little memory: a few numbers for each pair
/// of versions that have met, but none for each game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderTally {
    counts: LadderCounts,
    /// How many games with a result each player has played.
    ended: Vec<u64>,
    /// How many games in a row each player has failed to play.
    failures: Vec<u32>,
    /// The results of the last days on which games were decided on. Days are numbered from the start of 1970. The
    /// results of a day are counted from when the first game decided on that day ends until a game decided on a later
    /// day ends.
    days: VecDeque<(i64, LadderCounts)>,
    /// The latest lost games of each player that hands in versions, latest first.
    lost: BTreeMap<String, VecDeque<LostFixture>>,
}

impl LadderTally {
    /// The state before the first game of the ladder that `history` describes.
    pub fn new(history: &LadderHistory) -> Self {
        let mut tally = Self::default();
        tally.grow(history.players().len());
        tally
    }

    /// The state after `games` of the ladder that `history` describes, each with its number, in the order in which they
    /// ended. `history` forgets these games.
    pub fn of(history: &mut LadderHistory, games: impl IntoIterator<Item = (u64, GameOutcome)>) -> Self {
        let mut tally = Self::new(history);
        for (number, outcome) in games {
            tally.end(history, number, outcome);
        }
        tally
    }

    fn grow(&mut self, players: usize) {
        self.failures.resize(players, 0);
        self.ended.resize(players, 0);
    }

    /// Takes an entry that `history` has already taken.
    pub fn take(&mut self, history: &LadderHistory, entry: &JournalEntry) {
        match entry {
            JournalEntry::Version(_) => self.grow(history.players().len()),
            JournalEntry::Resumed(entry) => {
                if let Some(player) = history.place(&entry.version) {
                    self.failures[player] = 0;
                }
            }
            _ => {}
        }
    }

    /// Counts game `number`, which has ended, and lets `history` forget it. Returns whether `history` contained the
    /// game: a game that was not decided on, or that has already been counted, has no effect.
    pub fn end(&mut self, history: &mut LadderHistory, number: u64, outcome: GameOutcome) -> bool {
        let Some(decision) = history.forget(number) else { return false };
        let fixture = decision.fixture;
        let players = fixture.players();
        for side in Side::BOTH {
            let player = players[side];
            self.ended[player] += 1;
            // A game from before the version was resumed says nothing about the version.
            if number >= history.players()[player].forgiven {
                let failures = &mut self.failures[player];
                *failures = if outcome.failed == Some(side) { failures.saturating_add(1) } else { 0 };
            }
        }
        self.begin_day(decision.at.div_euclid(DAY));
        if outcome.is_rated {
            let selection = if decision.random { Selection::Drawn } else { Selection::Chosen };
            let today = self.days.back_mut().map(|(_, counts)| counts);
            for counts in std::iter::once(&mut self.counts).chain(today) {
                counts.add(players.black, players.white, outcome.winner, selection);
            }
        }
        if let Some(side) = outcome.winner.map(Side::opponent) {
            self.remember_loss(&history.players()[players[side]], LostFixture { number, fixture, side });
        }
        true
    }

    /// Begins the day with this number, unless that day or a later one has already begun.
    fn begin_day(&mut self, day: i64) {
        if self.days.back().is_none_or(|(last, _)| *last < day) {
            self.days.push_back((day, LadderCounts::default()));
            if self.days.len() > DAYS_KEPT {
                self.days.pop_front();
            }
        }
    }

    fn remember_loss(&mut self, loser: &LadderPlayer, game: LostFixture) {
        // The lost games of a player without versions are never used.
        let Some(version) = &loser.version else { return };
        let games = self.lost.entry(version.of.clone()).or_default();
        games.push_front(game);
        games.truncate(LOST);
    }

    /// The results so far.
    pub const fn counts(&self) -> &LadderCounts {
        &self.counts
    }

    /// How many games in a row each player has failed to play.
    pub fn failures(&self) -> &[u32] {
        &self.failures
    }

    /// How many games have ended.
    pub fn games(&self) -> u64 {
        self.ended.iter().fold(0, |sum: u64, games| sum.saturating_add(*games)) / 2
    }

    /// Whether any game of `player` has ended.
    pub fn has_game_of(&self, player: PlayerIndex) -> bool {
        self.ended.get(player).is_some_and(|&games| games > 0)
    }

    /// The latest lost games of the player `of`, latest first.
    pub fn lost_by(&self, of: &str) -> impl Iterator<Item = &LostFixture> {
        self.lost.get(of).into_iter().flatten()
    }

    /// The results as of a week before the time `now`, which is in seconds since the start of 1970: the current results
    /// without the results of all later days. `None` if nothing is known about that time.
    pub fn week_ago(&self, now: i64) -> Option<LadderCounts> {
        let day = now.div_euclid(DAY) - 7;
        self.days.front().filter(|(first, _)| *first <= day)?;
        let mut counts = self.counts.clone();
        for (_, since) in self.days.iter().filter(|(known, _)| *known > day) {
            counts.take_back(since);
        }
        Some(counts)
    }

    /// A summary for each game that counts for the ratings, with the players' names and the winner, but without moves.
    pub fn summaries<'h>(&'h self, history: &'h LadderHistory) -> impl Iterator<Item = GameSummary<&'h str>> {
        let name = |player: PlayerIndex| history.players()[player].name.as_str();
        self.counts.pairs().flat_map(move |(black, white, games)| {
            let results = [(Some(Side::Black), games.wins), (None, games.draws), (Some(Side::White), games.losses)];
            results.into_iter().flat_map(move |(winner, count)| {
                let summary = GameSummary {
                    game: "",
                    round: None,
                    players: BySide { black: name(black), white: name(white) },
                    result: Some(GameResult::played(Outcome { winner, margin: None })),
                    plies: 0,
                    used: BySide::default(),
                    left: BySide::default(),
                    usage: BySide::default(),
                    starved: None,
                    has_odds: false,
                    thoughts: None,
                    moves: MovesDigest::of([]),
                };
                (0..count).map(move |_| summary.clone())
            })
        })
    }

    /// Whether a ladder with `players` players can have this state.
    pub(super) fn is_of(&self, players: usize) -> bool {
        let known = |player: u32| usize::try_from(player).is_ok_and(|player| player < players);
        let counts = std::iter::once(&self.counts).chain(self.days.iter().map(|(_, counts)| counts));
        let (mut counts, mut lost) = (counts, self.lost.values());
        self.ended.len() == players
            && self.failures.len() == players
            && self.days.len() <= DAYS_KEPT
            && self.days.iter().zip(self.days.iter().skip(1)).all(|((one, _), (next, _))| one < next)
            && counts.all(|counts| counts.players() <= players)
            && self.days.iter().all(|(_, since)| self.counts.contains(since))
            && lost.all(|games| {
                let is_known = |game: &LostFixture| known(game.fixture.black) && known(game.fixture.white);
                games.len() <= LOST && games.iter().all(is_known)
            })
    }
}
