//! Moves as text.

use super::points::GoPoint;
use super::squares::GridSquare;
use crate::game::Move;

/// The text of a placement on the squares: a square, followed by the far end of a row if the text names a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WrittenSquare {
    /// The square on which the stone is placed.
    pub(super) at: GridSquare,
    /// The seat's stone at the far end of the row, if the text names it.
    pub(super) far: Option<GridSquare>,
}

impl WrittenSquare {
    /// Parses text such as `f5` and `f5-c2`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text.split_once('-') {
            None => Some(Self { at: GridSquare::parse(text)?, far: None }),
            Some((at, far)) => Some(Self { at: GridSquare::parse(at)?, far: Some(GridSquare::parse(far)?) }),
        }
    }

    /// The canonical text.
    pub(super) fn to_move(self) -> Move {
        let mut text = MoveBytes::default();
        text.push_square(self.at);
        if let Some(far) = self.far {
            text.push(b'-');
            text.push_square(far);
        }
        text.to_move()
    }
}

/// The placement on `point` as a move.
pub(super) fn point_move(point: GoPoint) -> Move {
    let mut text = MoveBytes::default();
    // The letter i is not used.
    text.push(b'a' + point.file() + u8::from(point.file() >= b'i' - b'a'));
    text.push_number(point.rank() + 1);
    text.to_move()
}

/// The bytes of a move.
#[derive(Default)]
struct MoveBytes {
    bytes: [u8; Move::MAX_LEN],
    len: usize,
}

impl MoveBytes {
    fn push(&mut self, byte: u8) {
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    fn push_square(&mut self, square: GridSquare) {
        self.push(b'a' + square.file());
        self.push_number(square.rank() + 1);
    }

    /// Adds a number below 100.
    fn push_number(&mut self, number: u8) {
        if number >= 10 {
            self.push(b'0' + number / 10);
        }
        self.push(b'0' + number % 10);
    }

    fn to_move(&self) -> Move {
        Move::from_bytes(&self.bytes[..self.len])
    }
}
