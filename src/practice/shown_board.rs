//! The board on which moves are made now, field by field.

use std::fmt::Write as _;

use crate::game::quantum::Mode;
use crate::game::{Position, Ruleset};
use crate::page::shown::layers::{BoardLayer, LayerKind, Layers, page_modes};

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

/// A board, as rows of fields (squares or points) from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShownBoard {
    rows: Vec<Vec<char>>,
    names: FieldNames,
}

impl ShownBoard {
    /// The board of `position` in a game of `ruleset`. If there are two boards, this is the board of the current mode.
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

    /// The board in `text`, which comes from a server that plays `ruleset`: rows of stones, as a [`Position`] shows
    /// them. If there are two boards, this is the one that differs from its counterpart in `before`, or the first one
    /// if both or neither differ. `None` if `text` is not a board of the rule set.
    pub(crate) fn of_text(text: &str, ruleset: Ruleset, before: &str) -> Option<Self> {
        let rows: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        let is_stone = |&stone: &char| matches!(stone, '.' | 'b' | 'w' | '1'..='6');
        let start = ruleset.start().to_string();
        let widths = start.lines().map(|line| line.chars().count());
        if !rows.iter().map(Vec::len).eq(widths) || !rows.iter().flatten().all(is_stone) {
            return None;
        }
        let Ruleset::Quantum(rules) = ruleset else { return Some(Self { rows, names: FieldNames::Upwards }) };
        let squares = usize::from(rules.lineup().squares()).min(rows.len());
        let is_changed = |from: usize, to: usize| {
            text.lines().skip(from).take(to - from).ne(before.lines().skip(from).take(to - from))
        };
        let is_go = squares == 0 || (!is_changed(0, squares) && is_changed(squares, rows.len()));
        Some(if is_go {
            Self { rows: rows[squares..].to_vec(), names: FieldNames::WithoutI }
        } else {
            Self { rows: rows[..squares].to_vec(), names: FieldNames::Downwards }
        })
    }

    /// The board on which the mode with the number `mode` is played, from the letters of all fields in the order of the
    /// live page: rank 1 first, except that on the 5x5 board of Gothello and Seegover, the highest rank is first.
    /// `None` if these are not the letters of a board of `ruleset`.
    pub(crate) fn of_letters(letters: &str, ruleset: Ruleset, mode: usize) -> Option<Self> {
        let layers = Layers::of(ruleset);
        let letters: Vec<char> = letters.chars().collect();
        let is_stone = |&stone: &char| matches!(stone, '.' | 'b' | 'w' | '1'..='6');
        if letters.len() != layers.fields() || !letters.iter().all(is_stone) {
            return None;
        }
        let wanted = page_modes(ruleset).get(mode).map_or(0, |mode| mode.1);
        let fields = |layer: &BoardLayer| usize::from(layer.1).pow(2);
        let before: usize = layers.all().iter().take(wanted).map(fields).sum();
        let layer = layers.all().get(wanted)?;
        let rows = letters[before..before + fields(layer)].chunks(usize::from(layer.1)).map(<[char]>::to_vec);
        Some(match layer.0 {
            LayerKind::Board => Self { rows: rows.collect(), names: FieldNames::Upwards },
            LayerKind::Squares => Self { rows: rows.collect(), names: FieldNames::Downwards },
            LayerKind::Points => Self { rows: rows.rev().collect(), names: FieldNames::WithoutI },
        })
    }

    /// The board and its coordinates as lines of text, with brackets round the fields in `marks`. `stone` draws a
    /// stone.
    pub(crate) fn text(&self, marks: &[(usize, usize)], stone: impl Fn(char) -> char) -> String {
        let width = self.ranks().to_string().len();
        let mut text = String::new();
        for row in 0..self.ranks() {
            let _ = write!(text, "{:>width$}", self.rank(row));
            let mut is_open = false;
            for file in 0..self.files() {
                let is_marked = marks.contains(&(row, file));
                text.push(match (is_open, is_marked) {
                    (true, _) => ']',
                    (false, true) => '[',
                    (false, false) => ' ',
                });
                text.push(stone(self.field(row, file)));
                is_open = is_marked;
            }
            if is_open {
                text.push(']');
            }
            text.push('\n');
        }
        text.push_str(&" ".repeat(width));
        for file in 0..self.files() {
            text.extend([' ', self.letter(file)]);
        }
        text + "\n"
    }

    /// Whether the fields of both boards have the same names.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.names, self.ranks(), self.files()) == (other.names, other.ranks(), other.files())
    }

    /// The fields on which a move puts stones, each as the row from the top and the file. Empty for a pass.
    pub(crate) fn places(&self, played: &str) -> Vec<(usize, usize)> {
        // On squares, the fields after the first one say which stones are turned.
        let arrived = |part: &str| match self.names {
            FieldNames::Downwards => self.place(part.split('-').next()?),
            FieldNames::Upwards | FieldNames::WithoutI => self.place(part.rsplit('-').next()?),
        };
        played.split('+').filter_map(arrived).collect()
    }

    /// The row, counted from the top, and the file of the field with this name.
    fn place(&self, name: &str) -> Option<(usize, usize)> {
        let letter = name.chars().next()?;
        let file = (0..self.files()).find(|&file| self.letter(file) == letter)?;
        let row = (0..self.ranks()).find(|&row| self.name(row, file) == name)?;
        Some((row, file))
    }

    /// The number of ranks.
    pub(crate) const fn ranks(&self) -> usize {
        self.rows.len()
    }

    /// The number of files.
    pub(crate) fn files(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// The stone on a field, or `.`.
    pub(crate) fn field(&self, row: usize, file: usize) -> char {
        self.rows.get(row).and_then(|fields| fields.get(file)).copied().unwrap_or('.')
    }

    /// The number of the rank at `row`. Rows are counted from the top, beginning with 0.
    pub(crate) const fn rank(&self, row: usize) -> usize {
        match self.names {
            FieldNames::Upwards | FieldNames::WithoutI => self.ranks() - row,
            FieldNames::Downwards => row + 1,
        }
    }

    /// The letter of the file with the index `file`.
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
    fn a_server_s_board_must_fit_the_rules() {
        let gothello = Ruleset::Gothello;
        let text = "b....\n.....\n..w..\n.....\n....b";
        let board = ShownBoard::of_text(text, gothello, "").expect("a board");
        let shown = board.text(&board.places("c3"), |stone| stone);
        assert_eq!(shown, "5 b . . . .\n4 . . . . .\n3 . .[w]. .\n2 . . . . .\n1 . . . . b\n  a b c d e\n");
        for wrong in ["", "b....", "b....\n.....\n..x..\n.....\n....b", "\u{1b}....\n.....\n..w..\n.....\n....b"] {
            assert_eq!(ShownBoard::of_text(wrong, gothello, ""), None, "{wrong:?}");
        }
        let quantum: Ruleset = "quantum-8".parse().expect("a rule set");
        let start = quantum.start().to_string();
        let on_points = start
            .lines()
            .enumerate()
            .map(|(row, line)| if row == 8 { line.replacen('.', "b", 1) } else { line.to_owned() });
        let on_points = on_points.collect::<Vec<_>>().join("\n");
        let board = ShownBoard::of_text(&on_points, quantum, &start).expect("a board");
        assert_eq!(board.names, FieldNames::WithoutI);
        assert_eq!(ShownBoard::of_text(&start, quantum, &start).map(|board| board.names), Some(FieldNames::Downwards));
    }

    #[test]
    fn the_letters_of_a_page_are_the_board_of_their_mode() {
        let letters = "b".to_owned() + &".".repeat(24);
        let board = ShownBoard::of_letters(&letters, Ruleset::Gothello, 0).expect("a board");
        assert_eq!((board.field(0, 0), board.name(0, 0).as_str()), ('b', "a5"));
        let quantum: Ruleset = "quantum-8".parse().expect("a rule set");
        let fields = Layers::of(quantum).fields();
        let letters = "b".to_owned() + &".".repeat(63) + "w" + &".".repeat(fields - 65);
        let squares = ShownBoard::of_letters(&letters, quantum, 0).expect("a board");
        assert_eq!((squares.field(0, 0), squares.name(0, 0).as_str()), ('b', "a1"));
        let go = page_modes(quantum).iter().position(|mode| mode.1 == 1).expect("a mode on points");
        let points = ShownBoard::of_letters(&letters, quantum, go).expect("a board");
        assert_eq!(points.places("a1").iter().map(|&(row, file)| points.field(row, file)).collect::<Vec<_>>(), ['w']);
        for wrong in ["", "b", &"x".repeat(fields)] {
            assert_eq!(ShownBoard::of_letters(wrong, quantum, 0), None);
        }
    }

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
            for (played, stone) in &moves {
                let places = board.places(played);
                assert_eq!(places.len(), 1, "{name}: {played}");
                assert!(places.iter().all(|&(row, file)| board.field(row, file) == *stone), "{name}: {played}");
            }
            assert_eq!(board.places("pass"), []);
            for legal in position.legal_moves().into_iter().filter(|legal| !legal.is_pass()) {
                let first = legal.as_str().split(['-', '+']).next().expect("a field");
                assert!(fields.iter().any(|(name, _)| name == first), "{name}: {legal}");
            }
        }
    }
}
