//! The referee's interface to a game.

use std::fmt;

use super::game::{Game, LegalTurn};
use super::lineup::Mode;
use super::notation::{WrittenSquare, point_move};
use super::points::{GoPoint, PointRefusal};
use super::refusal;
use super::seats::Seat;
use super::square_layer::{Ground, SquareField, SquareLayer, on_squares};
use crate::game::{BySeat, IllegalMove, Move, Outcome, Position, Side, Standing};

impl Game {
    /// The canonical text of a legal turn.
    pub fn text(&self, turn: LegalTurn) -> Move {
        let (at, far) = match turn {
            LegalTurn::Pass => return Move::PASS,
            LegalTurn::Point(point) => return point_move(point),
            LegalTurn::Square(at) => (at, None),
            LegalTurn::Row(at, far) => (at, Some(far)),
        };
        on_squares!(&self.squares, field => {
            let grid = field.board().grid();
            WrittenSquare { at: grid.square(at), far: far.map(|far| grid.square(far)) }.to_move()
        }, Move::PASS)
    }

    /// The legal turn that `text` names.
    ///
    /// # Errors
    /// Returns the reason if `text` does not name a legal turn.
    pub fn read(&self, text: &str) -> Result<LegalTurn, IllegalMove> {
        let is_pass = text == Move::PASS.as_str();
        let (square, point) = (WrittenSquare::parse(text), text.parse::<GoPoint>().ok());
        match self.mode() {
            None if is_pass || square.is_some() || point.is_some() => Err(IllegalMove::GameOver),
            None => Err(IllegalMove::NotUnderstood),
            Some(_) if is_pass && self.may_pass() => Ok(LegalTurn::Pass),
            Some(_) if is_pass => Err(refusal::MUST_PLACE),
            Some(Mode::Go) => self.judge_point(point.ok_or(IllegalMove::NotUnderstood)?),
            Some(_) => on_squares!(&self.squares, field => {
                self.judge_square(field, square.ok_or(IllegalMove::NotUnderstood)?)
            }, Err(IllegalMove::NotUnderstood)),
        }
    }

    fn judge_point(&self, point: GoPoint) -> Result<LegalTurn, IllegalMove> {
        let board = self.points().ok_or(IllegalMove::NotUnderstood)?;
        match board.check(self.on_move, point) {
            Err(PointRefusal::Off) => Err(IllegalMove::NotUnderstood),
            Err(PointRefusal::Occupied) => Err(refusal::OCCUPIED),
            _ if !self.supplies.has(self.on_move) => Err(refusal::NO_STONES),
            Err(PointRefusal::NoLiberty) => Err(refusal::NO_LIBERTY),
            Err(PointRefusal::Repetition) => Err(refusal::REPETITION),
            Ok(()) => Ok(LegalTurn::Point(point)),
        }
    }

    fn judge_square<const WORDS: usize>(
        &self,
        field: &SquareField<WORDS>,
        written: WrittenSquare,
    ) -> Result<LegalTurn, IllegalMove> {
        let at = field.index(written.at).ok_or(IllegalMove::NotUnderstood)?;
        let far = written.far.map(|far| field.index(far).filter(|_| self.has_rows()).ok_or(IllegalMove::NotUnderstood));
        let far = far.transpose()?;
        if field.board().occupied().contains(at) {
            return Err(refusal::OCCUPIED);
        }
        if !self.supplies.has(self.on_move) {
            return Err(refusal::NO_STONES);
        }
        if !field.open().contains(at) {
            return Err(match field.ground() {
                Ground::Row => refusal::TURNS_NOTHING,
                Ground::Opening => refusal::NOT_MIDDLE,
                Ground::Entry | Ground::Beside => refusal::NOT_BESIDE,
            });
        }
        if !self.names_rows() {
            return if far.is_none() { Ok(LegalTurn::Square(at)) } else { Err(refusal::TURNS_NOTHING) };
        }
        let rows = field.board().rows(self.on_move, at);
        match (far, rows.as_slice()) {
            (None, [row]) => Ok(LegalTurn::Row(at, row.far)),
            (None, _) => Err(refusal::WHICH_ROW),
            (Some(far), rows) if rows.iter().any(|row| row.far == far) => Ok(LegalTurn::Row(at, far)),
            (Some(_), _) => Err(refusal::TURNS_NOTHING),
        }
    }
}

/// With more than two seats, sides are meaningless: [`Position::seat_to_move`] and [`Position::standing`] replace
/// [`Position::to_move`] and [`Position::outcome`].
impl Position for Game {
    fn seats(&self) -> u8 {
        self.rules().seats()
    }

    fn seat_to_move(&self) -> Seat {
        Self::seat_to_move(self)
    }

    fn is_over(&self) -> bool {
        Self::is_over(self)
    }

    fn drop_out(&mut self, seat: Seat) {
        assert!(self.rules().seats() > 2, "a game with two seats ends when seat {seat} drops out");
        self.resign(seat);
    }

    fn is_in(&self, seat: Seat) -> bool {
        Self::is_in(self, seat)
    }

    fn stones_left(&self, seat: Seat) -> Option<u16> {
        Self::stones_left(self, seat)
    }

    fn standing(&self) -> Option<Standing> {
        let seats = self.rules().seats();
        if seats == 2 {
            return None;
        }
        let standing = Self::standing(self);
        let counts =
            self.counts().iter().map(|(mode, counts)| (mode.name(), BySeat::from_fn(seats, |seat| counts[seat])));
        Some(Standing {
            placing: BySeat::from_fn(seats, |seat| standing.placing[seat]),
            totals: BySeat::from_fn(seats, |seat| standing.total(seat)),
            points: BySeat::from_fn(seats, |seat| standing.points[seat]),
            counts: counts.collect(),
        })
    }

    fn to_move(&self) -> Side {
        self.seat_to_move().side()
    }

    fn legal_moves(&self) -> Vec<Move> {
        let placements = self.placements().into_iter().map(|turn| self.text(turn));
        placements.chain(self.may_pass().then_some(Move::PASS)).collect()
    }

    fn play(&mut self, text: &str) -> Result<Move, IllegalMove> {
        let turn = self.read(text)?;
        let played = self.text(turn);
        self.advance(turn);
        Ok(played)
    }

    fn mode_name(&self) -> Option<&'static str> {
        if self.is_proof() { Some("proof") } else { Self::mode(self).map(Mode::name) }
    }

    fn mode(&self) -> Option<Mode> {
        Self::mode(self)
    }

    fn outcome(&self) -> Option<Outcome> {
        if !self.is_over() {
            return None;
        }
        if self.rules().seats() != 2 {
            return Some(Outcome { winner: None, margin: None });
        }
        let sum = |seat| self.counts().iter().map(|(_, count)| i32::from(count[seat])).sum::<i32>();
        let [black, white] = Side::BOTH.map(|side| sum(Seat::from(side)));
        let is_counted = self.counts().iter().count() == self.rules().lineup().modes().len();
        Some(Outcome { winner: self.standing().winner().map(Seat::side), margin: is_counted.then_some(black - white) })
    }
}

/// Writes the squares, rank 1 first, and then the points, highest rank first.
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seats = self.rules().seats();
        let letter = |seat: Option<Seat>| seat.map_or('.', |seat| seat.letter(seats));
        let mut lines: Vec<String> = on_squares!(&self.squares, field => {
            let grid = field.board().grid();
            let size = usize::from(grid.size());
            let line = |first| (first..first + size).map(|at| letter(field.board().owner(at))).collect();
            (0..size).map(|rank| line(rank * grid.stride())).collect()
        }, Vec::new());
        let size = self.rules().lineup().points();
        let owner = |file, rank| self.points()?.stones().owner(GoPoint::new(file, rank)?);
        lines.extend((0..size).rev().map(|rank| (0..size).map(|file| letter(owner(file, rank))).collect()));
        f.write_str(&lines.join("\n"))
    }
}
