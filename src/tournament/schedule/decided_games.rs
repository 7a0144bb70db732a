//! The games of a ladder: those that have been decided on, in the order of the decisions.

use std::collections::HashMap;

use super::planned_games::NumberedGame;
use super::{Fixture, PlayerIndex};
use crate::game::BySide;

/// Games that have been decided on, and a position in their order.
///
/// The round of a game is its number among the games of the same players with the same colours. So both games of a pair
/// with swapped colours have the same round, and thus the same opening.
#[derive(Clone, Debug, Default)]
pub(super) struct DecidedGames {
    /// The number of the next game to decide on.
    next_number: u64,
    /// The games to play, ascending by number.
    games: Vec<NumberedGame<Fixture>>,
    /// How many games with the same players and colours have been decided on.
    met: HashMap<[PlayerIndex; 2], u32>,
    /// How many of `games` have been taken.
    taken: usize,
}

impl DecidedGames {
    /// Decides on a game of `players`, and returns it.
    pub(super) fn add(&mut self, players: BySide<PlayerIndex>) -> NumberedGame<Fixture> {
        let round = self.met.entry([players.black, players.white]).or_default();
        *round += 1;
        let game = NumberedGame { number: self.next_number, game: Fixture { round: *round, nth: 1, players } };
        self.next_number += 1;
        self.games.push(game);
        game
    }

    /// How many games have been decided on.
    pub(super) const fn len(&self) -> u64 {
        self.next_number
    }

    /// The game with this number.
    pub(super) fn get(&self, number: u64) -> Option<NumberedGame<Fixture>> {
        let place = self.games.binary_search_by_key(&number, |game| game.number).ok()?;
        Some(self.games[place])
    }

    /// The games that have not been taken.
    pub(super) fn rest(&self) -> impl Iterator<Item = NumberedGame<Fixture>> {
        self.games[self.taken..].iter().copied()
    }

    /// All games.
    pub(super) fn all(&self) -> impl Iterator<Item = NumberedGame<Fixture>> {
        self.games.iter().copied()
    }

    /// Takes the next game.
    pub(super) fn next(&mut self) -> Option<NumberedGame<Fixture>> {
        let game = self.games.get(self.taken).copied()?;
        self.taken += 1;
        Some(game)
    }
}
