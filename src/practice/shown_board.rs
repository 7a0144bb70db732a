//! The board on which moves are made now, field by field.

use crate::game::quantum::Mode;
use crate::game::{Position, Ruleset};

/// How the fields of a board are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldNames {
    /// Ranks count upwards, and files use all letters.
    Upwards,
    /// Ranks count downwards, and files use all letters.
    Downwards,
    /// Ranks count upwards, and files skip `i`.
    WithoutI,
}

/// A board, as rows of fields from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShownBoard {
    rows: Vec<Vec<char>>,
    names: FieldNames,
}

impl ShownBoard {
    /// The board of `position`, a position of `ruleset`. In a game with two boards, this is the one of the current mode.
    pub(crate) fn of(position: &dyn Position, ruleset: Ruleset) -> Self {
        let text = position.to_string();
        let lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        let Ruleset::Quantum(rules) = ruleset else { return Self { rows: lines, names: FieldNames::Upwards } };
        let (squares, points) = lines.split_at(usize::from(rules.lineup().squares()).min(lines.len()));
        let is_go = position.mode().map_or(squares.is_empty() || !points.is_empty(), |mode| mode == Mode::Go);
        if is_go {
            Self { rows: points.to_vec(), names: FieldNames::WithoutI }
        } else {
            Self { rows: squares.to_vec(), names: FieldNames::Downwards }
        }
    }

    /// How many ranks there are.
    pub(crate) const fn ranks(&self) -> usize {
        self.rows.len()
    }

    /// How many files there are.
    pub(crate) fn files(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// The stone on a field, or `.`.
    pub(crate) fn field(&self, row: usize, file: usize) -> char {
        self.rows.get(row).and_then(|fields| fields.get(file)).copied().unwrap_or('.')
    }

    /// The number of the rank at `row`, which is counted from the top, from 0.
    pub(crate) const fn rank(&self, row: usize) -> usize {
        match self.names {
            FieldNames::Upwards | FieldNames::WithoutI => self.ranks() - row,
            FieldNames::Downwards => row + 1,
        }
    }

    /// The letter of a file, which is counted from 0.
    pub(crate) fn letter(&self, file: usize) -> char {
        let mut letters = ('a'..='z').filter(|&letter| self.names != FieldNames::WithoutI || letter != 'i');
        letters.nth(file).unwrap_or('?')
    }

    /// The name of a field, such as `c3`.
    pub(crate) fn name(&self, row: usize, file: usize) -> String {
        format!("{}{}", self.letter(file), self.rank(row))
    }

    /// Whether a file has this letter.
    pub(crate) fn has_letter(&self, letter: char) -> bool {
        (0..self.files()).any(|file| self.letter(file) == letter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_fields_are_those_of_legal_moves() {
        for (name, moves) in [
            ("gothello", vec![("c3", 'b')]),
            ("seegover", vec![("a1", 'b')]),
            ("othello", vec![]),
            ("reverse", vec![]),
            ("go-19", vec![("t19", 'b'), ("j3", 'w')]),
            ("quantum", vec![]),
        ] {
            let ruleset: Ruleset = name.parse().expect("a rule set");
            let mut position = ruleset.start();
            for (played, _) in &moves {
                position.play(played).unwrap_or_else(|error| panic!("{name}: {played}: {error}"));
            }
            let board = ShownBoard::of(&*position, ruleset);
            let fields = (0..board.ranks()).flat_map(|row| (0..board.files()).map(move |file| (row, file)));
            let fields: Vec<(String, char)> =
                fields.map(|(row, file)| (board.name(row, file), board.field(row, file))).collect();
            for (played, stone) in &moves {
                assert!(fields.contains(&((*played).to_owned(), *stone)), "{name}: {played}");
            }
            for legal in position.legal_moves().into_iter().filter(|legal| !legal.is_pass()) {
                let first = legal.as_str().split(['-', '+']).next().expect("a field");
                assert!(fields.iter().any(|(name, _)| name == first), "{name}: {legal}");
            }
        }
    }
}
