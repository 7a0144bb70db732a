//! A game of a schedule.

use super::{GameId, PlayerIndex};
use crate::base::random::mix;
use crate::game::{BySeat, BySide, Move, Seat};

/// A game to play.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GameSpec {
    /// The game's id.
    pub id: GameId,
    /// The game's number in the schedule of the whole tournament, starting from 0.
    pub number: u64,
    /// The round, starting from 1.
    pub round: u32,
    /// The player in each seat.
    pub players: BySeat<PlayerIndex>,
    /// The game's own seed, which depends only on the tournament's seed and on the id.
    pub seed: u64,
    /// The plies that the game starts with, black's first. They depend on the tournament's seed, on the two players
    /// regardless of their colours, on the round, and on the number of the game between them in the round. Without
    /// openings, there are no such plies.
    pub opening: Vec<Move>,
}

impl GameSpec {
    /// Returns the players of a game with two seats by their sides.
    ///
    /// # Panics
    /// Panics if the game does not have two seats.
    pub fn pair(&self) -> BySide<PlayerIndex> {
        BySide::from_fn(|side| {
            assert!(self.players.seats() == 2, "a game with {} seats has no sides", self.players.seats());
            self.players[side]
        })
    }

    /// Returns the value of `{seed}` in the command of the player in `seat`. It depends only on the game's seed and
    /// on the seat, and is less than 2^31, so that any program in any language can read it into a plain integer.
    pub fn seat_seed(&self, seat: Seat) -> u64 {
        let label = match self.players.seats() {
            2 => seat.side().name().to_owned(),
            _ => format!("seat {seat}"),
        };
        mix(self.seed, &label) >> 33
    }
}
