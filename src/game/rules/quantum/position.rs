//! The game as the referee drives it.

use std::fmt;

use super::game::{Game, LegalTurn};
use super::lineup::Mode;
use super::notation::WrittenSquare;
use super::refusal;
use super::seats::Seat;
use super::square_layer::{Ground, SquareField, SquareLayer, on_squares};
use crate::game::rules::{IllegalMove, Move, Outcome, Position, Side};

impl Game {
    fn text(&self, turning: LegalTurn) -> Move {
        let written = match turning {
            LegalTurn::Pass => return Move::PASS,
            LegalTurn::All(index) => (index, None),
            LegalTurn::One(index, far) => (index, Some(far)),
        };
        on_squares!(&self.squares, field => {
            let grid = field.board().grid();
            WrittenSquare { at: grid.square(written.0), far: written.1.map(|far| grid.square(far)) }.to_move()
        }, Move::PASS)
    }

    /// The legal turn that `text` names.
    fn read(&self, text: &str) -> Result<LegalTurn, IllegalMove> {
        let is_pass = text == Move::PASS.as_str();
        let written = WrittenSquare::parse(text);
        if !is_pass && written.is_none() {
            return Err(IllegalMove::NotUnderstood);
        }
        if self.is_over() {
            return Err(IllegalMove::GameOver);
        }
        on_squares!(&self.squares, field => match written {
            None if field.open().is_empty() => Ok(LegalTurn::Pass),
            None => Err(refusal::MUST_PLACE),
            Some(written) => self.judge(field, written),
        }, Err(IllegalMove::NotUnderstood))
    }

    fn judge<const WORDS: usize>(
        &self,
        field: &SquareField<WORDS>,
        written: WrittenSquare,
    ) -> Result<LegalTurn, IllegalMove> {
        let index = field.index(written.at).ok_or(IllegalMove::NotUnderstood)?;
        let far = written.far.map(|far| field.index(far).filter(|_| self.has_rows()).ok_or(IllegalMove::NotUnderstood));
        let far = far.transpose()?;
        if field.board().occupied().contains(index) {
            return Err(refusal::OCCUPIED);
        }
        if !self.supplies.has(self.on_move) {
            return Err(refusal::NO_STONES);
        }
        if !field.open().contains(index) {
            return Err(match field.ground() {
                Ground::Row => refusal::TURNS_NOTHING,
                Ground::Opening => refusal::NOT_MIDDLE,
                Ground::Entry | Ground::Beside => refusal::NOT_BESIDE,
            });
        }
        if !self.has_rows() {
            return Ok(LegalTurn::All(index));
        }
        let rows = field.board().rows(self.on_move, index);
        match (far, rows.as_slice()) {
            (None, []) => Ok(LegalTurn::All(index)),
            (None, [row]) => Ok(LegalTurn::One(index, row.far)),
            (None, _) => Err(refusal::WHICH_ROW),
            (Some(far), rows) if rows.iter().any(|row| row.far == far) => Ok(LegalTurn::One(index, far)),
            (Some(_), _) => Err(refusal::TURNS_NOTHING),
        }
    }
}

/// The side of seat 2 moves like any other; with more than two seats, sides mean nothing, and
/// [`Game::seat_to_move`] and [`Game::standing`] tell what these functions cannot.
impl Position for Game {
    fn to_move(&self) -> Side {
        self.seat_to_move().side()
    }

    fn legal_moves(&self) -> Vec<Move> {
        self.turns().into_iter().map(|turning| self.text(turning)).collect()
    }

    fn play(&mut self, text: &str) -> Result<Move, IllegalMove> {
        let turning = self.read(text)?;
        let played = self.text(turning);
        self.advance(turning);
        Ok(played)
    }

    fn mode_name(&self) -> Option<&'static str> {
        self.mode().map(Mode::name)
    }

    fn outcome(&self) -> Option<Outcome> {
        if !self.is_over() {
            return None;
        }
        let standing = self.standing();
        if self.rules.seats() != 2 {
            return Some(Outcome { winner: None, margin: None });
        }
        let sum = |seat| self.counts.iter().map(|(_, count)| i32::from(count[seat])).sum::<i32>();
        let [black, white] = Side::BOTH.map(|side| sum(Seat::from(side)));
        let is_counted = self.counts.iter().count() == self.rules.lineup().modes().len();
        Some(Outcome { winner: standing.winner().map(Seat::side), margin: is_counted.then_some(black - white) })
    }
}

/// The squares, rank 1 first, and then the points, the highest rank first.
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |seat: Option<Seat>| seat.map_or('.', |seat| seat.letter(self.rules.seats()));
        on_squares!(&self.squares, field => {
            let grid = field.board().grid();
            for rank in 0..usize::from(grid.size()) {
                let first = rank * grid.stride();
                let line: String =
                    (first..first + usize::from(grid.size())).map(|index| letter(field.board().owner(index))).collect();
                write!(f, "{}{line}", if rank == 0 { "" } else { "\n" })?;
            }
        }, {});
        Ok(())
    }
}
