//! Games added up.

use std::collections::{BTreeMap, HashMap};

use super::GameSummary;
use crate::rating::{Results, Wdl};
use crate::result::{GameResult, Termination};
use crate::rules::{BySide, Side};

/// All games so far, added up. The order in which they are added makes no difference.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    rated: Results,
    facts: Vec<Facts>,
    crosstable: HashMap<(usize, usize), Wdl>,
    counts: GameCounts,
}

/// How many games there were, of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameCounts {
    /// With a result that counts for the ratings.
    pub rated: u64,
    /// Lost by both.
    pub double_forfeits: u64,
    /// Without a result.
    pub void: u64,
}

/// What one player did.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) by_side: BySide<Wdl>,
    pub(super) margin: i64,
    pub(super) forfeits: BTreeMap<Termination, u64>,
}

impl Facts {
    pub(super) fn half_points(&self) -> u64 {
        (self.by_side.black + self.by_side.white).half_points()
    }
}

impl Tally {
    /// Adds a game. A void one makes its players known and counts for nothing else.
    pub fn add(&mut self, game: &GameSummary) {
        let players = game.players.as_ref().map(|name| self.player(name));
        let Some(result) = &game.result else {
            self.counts.void += 1;
            return;
        };
        if result.is_rated() {
            self.counts.rated += 1;
            self.rated.add(players.black, players.white, Wdl::game(Side::Black, result.winner()));
        } else {
            self.counts.double_forfeits += 1;
        }
        for side in Side::BOTH {
            let seen = as_seen_by(side, result);
            *self.crosstable.entry((players[side], players[side.opponent()])).or_default() += seen;
            let facts = &mut self.facts[players[side]];
            facts.by_side[side] += seen;
            let margin = i64::from(result.margin().unwrap_or(0));
            facts.margin += if side == Side::Black { margin } else { -margin };
            if result.fault().is_on(side) {
                *facts.forfeits.entry(result.termination()).or_default() += 1;
            }
        }
    }

    /// How many games were added.
    pub const fn counts(&self) -> GameCounts {
        self.counts
    }

    /// The players' names in order.
    pub fn players(&self) -> impl Iterator<Item = &str> {
        self.rated.players().map(|(name, _)| name)
    }

    pub(super) const fn rated(&self) -> &Results {
        &self.rated
    }

    pub(super) fn facts(&self, player: usize) -> &Facts {
        &self.facts[player]
    }

    /// Results of (player, opponent), as the player sees them.
    pub(super) const fn crosstable(&self) -> &HashMap<(usize, usize), Wdl> {
        &self.crosstable
    }

    fn player(&mut self, name: &str) -> usize {
        let index = self.rated.player(name);
        if index == self.facts.len() {
            self.facts.push(Facts::default());
        }
        index
    }
}

impl<'g> Extend<&'g GameSummary> for Tally {
    fn extend<T: IntoIterator<Item = &'g GameSummary>>(&mut self, games: T) {
        games.into_iter().for_each(|game| self.add(game));
    }
}

impl<'g> FromIterator<&'g GameSummary> for Tally {
    fn from_iter<T: IntoIterator<Item = &'g GameSummary>>(games: T) -> Self {
        let mut tally = Self::default();
        tally.extend(games);
        tally
    }
}

/// The result for `side`; a double forfeit is a loss for both.
fn as_seen_by(side: Side, result: &GameResult) -> Wdl {
    match result.termination() {
        Termination::DoubleForfeit => Wdl { losses: 1, ..Wdl::default() },
        _ => Wdl::game(side, result.winner()),
    }
}
