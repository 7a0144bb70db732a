//! Checks that the lines refused in a turn are not clearly legal moves.

use super::check_errors::Contradiction;
use super::{Tries, Try, TryKind};
use crate::base::digits::parse_digits;
use crate::game::{Move, Position};

/// A turn in which lines may have been refused.
pub(super) struct TriedTurn {
    /// The number of the move.
    number: usize,
    /// How many `...` come before the move.
    dots: usize,
    /// The moves that were legal during the whole turn.
    legal: Vec<Move>,
}

impl TriedTurn {
    /// The turn of the seat to move. Its next move has the number `number`.
    pub(super) fn of(number: usize, position: &dyn Position) -> Self {
        Self { number, dots: position.seat_to_move().index(), legal: position.legal_moves() }
    }

    /// Continues the turn in `position`, in which different moves may be legal because another seat has dropped out.
    pub(super) fn go_on(&mut self, position: &dyn Position) {
        let legal = position.legal_moves();
        self.legal.retain(|played| legal.contains(played));
    }

    /// The move in black's `3 c3`, white's `3 ... c3`, or `c3`; `None` if the line has another form or number, or if it
    /// may have been truncated.
    fn named_move<'t>(&self, refused: &'t Try) -> Option<&'t str> {
        if refused.text().len() >= Try::MAX_TEXT {
            return None;
        }
        let words: Vec<&str> = refused.text().split_ascii_whitespace().collect();
        let (number, rest) = match words.as_slice() {
            [played] => return Some(played),
            [number, rest @ ..] => (number, rest),
            [] => return None,
        };
        let (dots, rest) = rest.split_at_checked(self.dots)?;
        let is_own =
            dots.iter().all(|word| *word == "...") && parse_digits(number)? == u64::try_from(self.number).ok()?;
        rest.first().copied().filter(|_| is_own)
    }
}

/// Checks that no line that is clearly a legal move was refused as illegal.
pub(super) fn check_tries(tries: &Tries, turn: &TriedTurn) -> Result<(), Contradiction> {
    let illegal = tries.shown.iter().filter(|refused| refused.kind == TryKind::Illegal);
    let mut named = illegal.filter_map(|refused| turn.named_move(refused));
    let wrong = named.find(|text| turn.legal.iter().any(|played| played.as_str() == *text));
    wrong.map_or(Ok(()), |text| Err(Contradiction::LegalTry(text.to_owned())))
}
