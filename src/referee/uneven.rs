//! A game for tests, in which the sides do not alternate.

use std::fmt;

use crate::game::{IllegalMove, Move, Outcome, Position, Side};

/// The side to move at each ply. After these plies, the game is over.
pub(crate) const MOVERS: [Side; 6] = [Side::Black, Side::White, Side::White, Side::Black, Side::Black, Side::White];

/// The moves. Each of them is legal only at its own ply.
pub(crate) const MOVES: [&str; 6] = ["a1", "b1", "c1", "d1", "e1", "f1"];

/// A position of this game, given by the number of plies that have been played.
#[derive(Debug, Default)]
pub(crate) struct Uneven(usize);

impl fmt::Display for Uneven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let empty = MOVERS.len() - self.0;
        write!(f, "{}{}", "b".repeat(self.0), ".".repeat(empty))
    }
}

impl Position for Uneven {
    fn to_move(&self) -> Side {
        MOVERS.get(self.0).copied().unwrap_or(Side::Black)
    }

    fn legal_moves(&self) -> Vec<Move> {
        MOVES.get(self.0).map(|text| text.parse().expect("a move")).into_iter().collect()
    }

    fn play(&mut self, text: &str) -> Result<Move, IllegalMove> {
        let played = *self.legal_moves().first().ok_or(IllegalMove::GameOver)?;
        if text != played.as_str() {
            return Err(IllegalMove::Refused("another move comes first"));
        }
        self.0 += 1;
        Ok(played)
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.0 == MOVERS.len()).then(|| Outcome::of_margin(6))
    }
}
