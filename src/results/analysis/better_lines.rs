//! The moves that would have followed the better moves with best play.

use std::collections::BTreeMap;

use crate::game::Move;

/// The maximum number of plies in a better move and the moves that follow it.
pub const MOST_PLIES: usize = 12;

/// For the indices of moves that lost something, the moves that would have followed the better move with best play.
///
/// Invariant: each line has 1 to [`MOST_PLIES`] - 1 moves. It ends with the game, or where the time for the search ran
/// out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BetterLines(BTreeMap<usize, Vec<Move>>);

impl BetterLines {
    /// The moves that follow the better move for the move with this `index`; empty if no such moves are known.
    pub fn after(&self, index: usize) -> &[Move] {
        self.0.get(&index).map_or(&[], Vec::as_slice)
    }

    /// Sets the moves that follow the better move for the move with this `index`. Drops moves beyond the maximum.
    pub fn set(&mut self, index: usize, mut line: Vec<Move>) {
        line.truncate(MOST_PLIES - 1);
        if line.is_empty() {
            self.0.remove(&index);
        } else {
            self.0.insert(index, line);
        }
    }

    /// Sets the line that follows the better move for the move with this `index`; the better move leads to `position`.
    /// `play` makes the next move, and returns `None` at the end of the game, or if it finds no move.
    pub(super) fn follow<P>(&mut self, index: usize, mut position: P, mut play: impl FnMut(&mut P) -> Option<Move>) {
        let line = std::iter::from_fn(|| play(&mut position)).take(MOST_PLIES - 1).collect();
        self.set(index, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_with_the_game_or_after_twelve_plies() {
        let pass = |(): &mut ()| Some(Move::PASS);
        let mut lines = BetterLines::default();
        lines.follow(3, (), pass);
        assert_eq!(lines.after(3), [Move::PASS; MOST_PLIES - 1]);
        lines.follow(3, 2, |left: &mut i32| {
            *left -= 1;
            (*left >= 0).then_some(Move::PASS)
        });
        assert_eq!((lines.after(3), lines.after(4)), (&[Move::PASS; 2][..], &[][..]));
        lines.set(3, Vec::new());
        assert_eq!(lines, BetterLines::default());
    }
}
