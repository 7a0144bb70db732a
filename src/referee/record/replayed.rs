//! Tracks whose turn it is, and the number of its next move, while a game is replayed ply by ply.

use std::fmt;

use crate::game::{BySide, Move, Position, Ruleset, Side};

/// A move with its number: `6. d4` if it is black's, `6... d4` if it is white's. Each side's moves are numbered
/// starting from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// The number.
    pub number: usize,
    /// The side that moves.
    pub side: Side,
    /// The move.
    pub played: Move,
}

impl Numbered {
    /// The punctuation between the number and the move of `side`.
    pub(super) const fn dots(side: Side) -> &'static str {
        match side {
            Side::Black => ".",
            Side::White => "...",
        }
    }
}

impl fmt::Display for Numbered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} {}", self.number, Self::dots(self.side), self.played)
    }
}

/// A game replayed from its start. The position determines whose turn it is. A log can contain a move that the rules
/// refuse; after that, the position is unknown, and the sides are assumed to alternate.
#[derive(Debug)]
pub(super) struct Turns {
    position: Option<Box<dyn Position>>,
    side: Side,
    moves: BySide<usize>,
}

impl Turns {
    /// Creates a game of this rule set that has not begun.
    pub(super) fn of(ruleset: Ruleset) -> Self {
        Self::starting_at(ruleset.start())
    }

    /// Creates a game that begins in `position`.
    pub(super) fn starting_at(position: Box<dyn Position>) -> Self {
        Self { side: position.to_move(), position: Some(position), moves: BySide::default() }
    }

    /// The side whose turn it is.
    pub(super) const fn side(&self) -> Side {
        self.side
    }

    /// The number of that side's next move.
    pub(super) fn number(&self) -> usize {
        self.moves[self.side] + 1
    }

    /// Makes a move and returns the side that made it.
    pub(super) fn play(&mut self, played: Move) -> Side {
        let mover = self.side;
        self.moves[mover] += 1;
        if self.position.as_mut().is_some_and(|position| position.play(played.as_str()).is_err()) {
            self.position = None;
        }
        self.side = self.position.as_ref().map_or(mover.opponent(), |position| position.to_move());
        mover
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::uneven::{MOVERS, MOVES, Uneven};

    #[test]
    fn the_position_says_whose_turn_it_is_until_the_rules_refuse_a_move() {
        let mut turns = Turns::starting_at(Box::new(Uneven::default()));
        let plies = MOVES.map(|text| {
            let (side, number) = (turns.side(), turns.number());
            assert_eq!(turns.play(text.parse().expect("a move")), side);
            (side, number)
        });
        let numbers = [1, 1, 2, 2, 3, 3];
        assert_eq!(plies.to_vec(), MOVERS.into_iter().zip(numbers).collect::<Vec<_>>());

        let mut turns = Turns::starting_at(Box::new(Uneven::default()));
        let sides = [MOVES[0], "z9", MOVES[1], MOVES[2]].map(|text| turns.play(text.parse().expect("a move")));
        assert_eq!(sides, [Side::Black, Side::White, Side::Black, Side::White], "they alternate");
    }
}
