//! Tracks whose turn it is, and the number of its next move, while a game is replayed ply by ply.

use std::fmt;

use crate::game::{BySeat, Move, Position, Ruleset, Seat, Side, Standing};

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
/// refuse; after that, the position is unknown, and the seats are assumed to move in order.
#[derive(Debug)]
pub(super) struct Turns {
    position: Box<dyn Position>,
    /// Whether the rules have allowed all moves so far. If not, `position` is the position before the first illegal
    /// move.
    is_known: bool,
    seat: Seat,
    moves: BySeat<usize>,
    /// Which seats have dropped out.
    out: BySeat<bool>,
}

impl Turns {
    /// Creates a game of this rule set that has not begun.
    pub(super) fn of(ruleset: Ruleset) -> Self {
        Self::starting_at(ruleset.start())
    }

    /// Creates a game that begins in `position`.
    pub(super) fn starting_at(position: Box<dyn Position>) -> Self {
        let seats = position.seats();
        Self {
            seat: position.seat_to_move(),
            position,
            is_known: true,
            moves: BySeat::from_fn(seats, |_| 0),
            out: BySeat::from_fn(seats, |_| false),
        }
    }

    /// How many seats the game has.
    pub(super) fn seats(&self) -> u8 {
        self.moves.seats()
    }

    /// The seat whose turn it is, or was when another seat ended the game by dropping out.
    pub(super) const fn seat(&self) -> Seat {
        self.seat
    }

    /// The number of the next move of the seat [`Turns::seat`].
    pub(super) fn number(&self) -> usize {
        self.moves[self.seat] + 1
    }

    /// Makes a move and returns the seat that made it.
    pub(super) fn play(&mut self, played: Move) -> Seat {
        let mover = self.seat;
        self.moves[mover] += 1;
        self.is_known = self.is_known && self.position.play(played.as_str()).is_ok();
        self.pass_on(mover);
        mover
    }

    /// Removes `seat` from the game, which must have more than two seats. Returns `false` if it is out already.
    pub(super) fn drop_out(&mut self, seat: Seat) -> bool {
        let is_new = self.out.has(seat) && !std::mem::replace(&mut self.out[seat], true);
        if is_new {
            self.position.drop_out(seat);
            if seat == self.seat {
                self.pass_on(seat);
            }
        }
        is_new
    }

    /// Passes the turn to the seat after `mover`.
    fn pass_on(&mut self, mover: Seat) {
        if self.is_known && !self.position.is_over() {
            self.seat = self.position.seat_to_move();
            return;
        }
        let seats = self.seats();
        let others = std::iter::successors(Some(mover.next(seats)), |seat| Some(seat.next(seats)));
        self.seat = others.take(seats.into()).find(|&seat| !self.out[seat]).unwrap_or(mover);
    }

    /// The places of all seats as of the last known position, if there are more than two seats.
    pub(super) fn standing(&self) -> Option<Standing> {
        self.position.standing()
    }

    /// Whether the rules have allowed all moves and have ended the game.
    pub(super) fn is_over(&self) -> bool {
        self.is_known && self.position.is_over()
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
            let (seat, number) = (turns.seat(), turns.number());
            assert_eq!(turns.play(text.parse().expect("a move")), seat);
            (seat.side(), number)
        });
        let numbers = [1, 1, 2, 2, 3, 3];
        assert_eq!(plies.to_vec(), MOVERS.into_iter().zip(numbers).collect::<Vec<_>>());

        let mut turns = Turns::starting_at(Box::new(Uneven::default()));
        let sides = [MOVES[0], "z9", MOVES[1], MOVES[2]].map(|text| turns.play(text.parse().expect("a move")).side());
        assert_eq!(sides, [Side::Black, Side::White, Side::Black, Side::White], "they alternate");
    }
}
