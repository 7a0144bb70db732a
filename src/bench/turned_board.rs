//! A board turned and mirrored, so that positions are found regardless of their orientation.

use crate::game::{Move, Ruleset};

/// A way to turn and mirror a square board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TurnedBoard {
    is_transposed: bool,
    /// Whether the files, and the ranks, run backwards.
    is_mirrored: [bool; 2],
    /// The number of files and of ranks.
    size: usize,
}

impl TurnedBoard {
    /// The ways to turn and mirror a board that make no difference under the rules of `ruleset`, starting with the one
    /// that leaves everything in place.
    pub(super) fn of(ruleset: Ruleset) -> Vec<Self> {
        let size = ruleset.start().to_string().lines().count();
        let flags: &[bool] = if ruleset == Ruleset::Gothello { &[false, true] } else { &[false] };
        let mut turns = Vec::new();
        for &is_transposed in flags {
            for &files in flags {
                turns.extend(flags.iter().map(|&ranks| Self { is_transposed, is_mirrored: [files, ranks], size }));
            }
        }
        turns
    }

    /// The place to which the point at `file` and `row` is moved.
    const fn place(self, (file, row): (usize, usize)) -> (usize, usize) {
        let (file, row) = if self.is_transposed { (row, file) } else { (file, row) };
        let [files, ranks] = self.is_mirrored;
        (if files { self.size - 1 - file } else { file }, if ranks { self.size - 1 - row } else { row })
    }

    /// The turned `board`; `None` if it is not square.
    pub(super) fn board(self, board: &str) -> Option<String> {
        let rows: Vec<Vec<char>> = board.lines().map(|line| line.chars().collect()).collect();
        if self.is_identity() {
            return Some(board.trim_end().to_owned());
        }
        if rows.len() != self.size || rows.iter().any(|row| row.len() != self.size) {
            return None;
        }
        let mut turned = vec![vec![' '; self.size]; self.size];
        for (row, points) in rows.iter().enumerate() {
            for (file, &point) in points.iter().enumerate() {
                let (to_file, to_row) = self.place((file, row));
                turned[to_row][to_file] = point;
            }
        }
        Some(turned.into_iter().map(String::from_iter).collect::<Vec<_>>().join("\n"))
    }

    fn is_identity(self) -> bool {
        !self.is_transposed && self.is_mirrored == [false, false]
    }

    /// The turned move; `None` if it is not the name of a point or a pass.
    pub(super) fn played(self, played: Move) -> Option<Move> {
        let text = played.as_str();
        if self.is_identity() || text == "pass" {
            return Some(played);
        }
        let mut letters = text.chars();
        let file = (letters.next()? as usize).checked_sub('a' as usize)?;
        let rank: usize = letters.as_str().parse().ok()?;
        if file >= self.size || rank == 0 || rank > self.size {
            return None;
        }
        // Ranks count from the bottom.
        let (file, row) = self.place((file, self.size - rank));
        let letter = char::from(b'a' + u8::try_from(file).ok()?);
        format!("{letter}{}", self.size - row).parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_moves_points_and_boards_alike() {
        for turn in TurnedBoard::of(Ruleset::Gothello) {
            for point in ["a1", "b3", "e5", "d2"] {
                let played: Move = point.parse().expect("a move");
                let mut position = Ruleset::Gothello.start();
                position.play(point).expect("legal");
                let mut turned = Ruleset::Gothello.start();
                turned.play(turn.played(played).expect("a point").as_str()).expect("legal");
                assert_eq!(
                    turn.board(&position.to_string()),
                    Some(turned.to_string().trim_end().to_owned()),
                    "{turn:?}"
                );
            }
        }
    }
}
