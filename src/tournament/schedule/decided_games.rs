//! The games of a ladder: those that have been decided on, in the order of the decisions.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::planned_games::NumberedGame;
use super::{Fixture, PlayerIndex};
use crate::game::BySide;

/// Games that have been decided on, and a position in their order. Games that have ended can be forgotten.
///
/// The round of a game is its number among the games of the same players with the same colours. So both games of a pair
/// with swapped colours have the same round, and thus the same opening.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct DecidedGames {
    /// The number of the next game to decide on.
    next_number: u64,
    /// The games that have not been forgotten, by number.
    games: BTreeMap<u64, LadderFixture>,
    /// How many games with the same players and colours have been decided on. A ladder may have a million pairs.
    met: HashMap<(u32, u32), u32>,
    /// One more than the number of the game taken last.
    next_taken: u64,
}

/// A game of a ladder: the players, and the round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderFixture {
    /// The player with the black stones.
    pub black: u32,
    /// The player with the white stones.
    pub white: u32,
    /// The round, from 1.
    pub round: u32,
}

impl LadderFixture {
    /// The players.
    pub fn players(&self) -> BySide<PlayerIndex> {
        BySide { black: wide(self.black), white: wide(self.white) }
    }

    /// The game as part of a schedule.
    fn numbered(self, number: u64) -> NumberedGame<Fixture> {
        NumberedGame { number, game: Fixture { round: self.round, nth: 1, players: self.players() } }
    }
}

/// The games of a ladder in a form that can be stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderGames {
    /// How many games have been decided on.
    pub decided: u64,
    /// For each ordered pair of players that have met, the player with the black stones, the other player, and how many
    /// games have been decided on.
    pub met: Vec<(u32, u32, u32)>,
    /// The games that have not been forgotten, by number.
    pub games: BTreeMap<u64, LadderFixture>,
}

impl DecidedGames {
    /// Decides on a game of `players`, and returns it.
    pub(super) fn add(&mut self, players: BySide<PlayerIndex>) -> NumberedGame<Fixture> {
        let (black, white) = (narrow(players.black), narrow(players.white));
        let met = self.met.entry((black, white)).or_default();
        *met += 1;
        let (number, game) = (self.next_number, LadderFixture { black, white, round: *met });
        self.next_number += 1;
        self.games.insert(number, game);
        game.numbered(number)
    }

    /// How many games have been decided on.
    pub(super) const fn len(&self) -> u64 {
        self.next_number
    }

    /// The game with this number, unless it has been forgotten.
    pub(super) fn get(&self, number: u64) -> Option<NumberedGame<Fixture>> {
        self.games.get(&number).map(|game| game.numbered(number))
    }

    /// The games that have been neither taken nor forgotten.
    pub(super) fn rest(&self) -> impl Iterator<Item = NumberedGame<Fixture>> {
        self.games.range(self.next_taken..).map(|(&number, game)| game.numbered(number))
    }

    /// All games that have not been forgotten.
    pub(super) fn all(&self) -> impl Iterator<Item = NumberedGame<Fixture>> {
        self.games.iter().map(|(&number, game)| game.numbered(number))
    }

    /// Takes the next game.
    pub(super) fn next(&mut self) -> Option<NumberedGame<Fixture>> {
        let game = self.rest().next()?;
        self.next_taken = game.number + 1;
        Some(game)
    }

    /// The games that have not been forgotten, by number, without their ids.
    pub(super) const fn fixtures(&self) -> &BTreeMap<u64, LadderFixture> {
        &self.games
    }

    /// Forgets the game with this number, and returns it; `None` if there is no such game.
    pub(super) fn forget(&mut self, number: u64) -> Option<LadderFixture> {
        self.games.remove(&number)
    }

    /// Whether the game of `players` in this round was decided on and then forgotten.
    pub(super) fn has_forgotten(&self, round: u32, players: BySide<PlayerIndex>) -> bool {
        let (black, white) = (narrow(players.black), narrow(players.white));
        let was_decided = self.met.get(&(black, white)).is_some_and(|&met| (1..=met).contains(&round));
        was_decided && !self.games.values().any(|&game| game == LadderFixture { black, white, round })
    }

    /// The games in a form that can be stored.
    pub(super) fn stored(&self) -> LadderGames {
        let met = self.met.iter().map(|(&(black, white), &met)| (black, white, met)).collect();
        LadderGames { decided: self.next_number, met, games: self.games.clone() }
    }

    /// Restores the games of `players` players from `stored`, as games that have not been taken; `None` if the stored
    /// values contradict each other.
    pub(super) fn restored(stored: LadderGames, players: usize) -> Option<Self> {
        let LadderGames { decided, met: pairs, games } = stored;
        let are_players = |black: u32, white: u32| black != white && wide(black.max(white)) < players;
        let mut met = HashMap::with_capacity(pairs.len());
        let mut sum = 0_u64;
        for (black, white, count) in pairs {
            sum += u64::from(count);
            if !are_players(black, white) || count == 0 || met.insert((black, white), count).is_some() {
                return None;
            }
        }
        let was_decided = |(&number, game): (&u64, &LadderFixture)| {
            let met = met.get(&(game.black, game.white)).copied().unwrap_or(0);
            number < decided && (1..=met).contains(&game.round)
        };
        (sum == decided && games.iter().all(was_decided)).then_some(Self {
            next_number: decided,
            games,
            met,
            next_taken: 0,
        })
    }

    /// Counts `decided` games as decided on. Their players are restored later.
    pub(super) const fn set_decided(&mut self, decided: u64) {
        self.next_number = decided;
    }
}

/// Converts the index of a player. A ladder has far fewer than four billion players, so the index always fits.
fn narrow(player: PlayerIndex) -> u32 {
    u32::try_from(player).unwrap_or(u32::MAX)
}

fn wide(player: u32) -> PlayerIndex {
    PlayerIndex::try_from(player).unwrap_or(PlayerIndex::MAX)
}
