//! A board with coordinates, as text.

use super::Style;
use crate::game::{Move, Side};

/// How the ranks and files of a board are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoardAxes {
    /// Ranks count upwards, and files use all letters.
    Plain,
    /// Squares: ranks count downwards, and files use all letters.
    Squares,
    /// Points: ranks count upwards, and files skip `i`.
    Points,
}

impl BoardAxes {
    /// The rank of `row`, which is counted from 0 at the top.
    pub(super) const fn rank(self, row: usize, ranks: usize) -> usize {
        match self {
            Self::Plain | Self::Points => ranks - row,
            Self::Squares => row + 1,
        }
    }

    /// The letters of the files.
    pub(super) fn letters(self) -> impl Iterator<Item = char> {
        ('a'..='z').filter(move |&letter| self != Self::Points || letter != 'i')
    }

    /// The places where a move puts stones, each as the row from the top and the file, both counted from 0. These are
    /// c3 for `c3`, both points for `a1+c3`, the last point for `b1-a1`, but the first square for `c3-e5`, which names
    /// a row of squares. Empty for a pass.
    pub(super) fn places(self, played: Move, ranks: usize) -> Vec<(usize, usize)> {
        let arrived = |part: &str| match self {
            Self::Squares => self.place(part.split('-').next().unwrap_or(part), ranks),
            Self::Plain | Self::Points => self.place(part.rsplit('-').next().unwrap_or(part), ranks),
        };
        played.as_str().split('+').filter_map(arrived).collect()
    }

    /// The row from the top and the file, both from 0, of a field such as `c3`.
    fn place(self, text: &str, ranks: usize) -> Option<(usize, usize)> {
        let letter = text.chars().next()?;
        let file = self.letters().position(|known| known == letter)?;
        let rank: usize = text[1..].parse().ok()?;
        let row = (0..ranks).find(|&row| self.rank(row, ranks) == rank)?;
        Some((row, file))
    }
}

/// The places where a move puts stones on a board with `ranks` ranks, which are counted upwards: each as the row from
/// the top and the file, both counted from 0. Empty for a pass.
pub(crate) fn arrivals(played: Move, ranks: usize) -> Vec<(usize, usize)> {
    BoardAxes::Plain.places(played, ranks)
}

/// A board with coordinates. Brackets mark where the stones of `played` were put and, if `style` has colours, colours
/// mark the stones that changed sides since `before`. Both boards may be of any size, and are text as displayed by a
/// [`crate::game::Position`].
pub fn board(board: &str, before: &str, played: Option<Move>, style: Style) -> String {
    let (board, before): (Vec<&str>, Vec<&str>) = (board.lines().collect(), before.lines().collect());
    Drawing { axes: BoardAxes::Plain, played, style }.lines(&board, &before).concat()
}

/// The backgrounds of boards with discs, and of fields that have changed. On a dark screen without a background, a disc
/// would look like the other side's disc; both discs differ from these colours by more than 3:1.
const GROUND: &str = "48;5;28";
const CHANGED: &str = "48;5;94";

/// How a board is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawing {
    pub(super) axes: BoardAxes,
    /// The move to mark.
    pub(super) played: Option<Move>,
    pub(super) style: Style,
}

impl Drawing {
    /// The lines of `board` with coordinates, each with a newline. `before` is the board before the move.
    pub(super) fn lines(&self, board: &[&str], before: &[&str]) -> Vec<String> {
        let (axes, ranks) = (self.axes, board.len());
        let width = ranks.to_string().len();
        let marks = self.played.map_or_else(Vec::new, |played| axes.places(played, ranks));
        let mut lines = Vec::with_capacity(ranks + 1);
        for (row, points) in board.iter().enumerate() {
            let earlier = before.get(row).copied().unwrap_or_default();
            let marks: Vec<usize> = marks.iter().filter(|place| place.0 == row).map(|place| place.1).collect();
            lines.push(format!("{:>width$}{}\n", axes.rank(row, ranks), self.rank(points, earlier, &marks)));
        }
        let files = board.first().map_or(0, |line| line.chars().count());
        let letters = axes.letters().take(files).fold(" ".repeat(width), |letters, file| format!("{letters} {file}"));
        lines.push(letters + "\n");
        lines
    }

    /// One field.
    fn field(&self, point: char, marked: bool, changed: bool) -> String {
        let side = Side::BOTH.into_iter().find(|side| side.letter() == point).filter(|_| self.style.has_discs);
        let shown = side.map_or(point, disc).to_string();
        if self.style.has_discs {
            let (bold, colour) = (if marked { "1;" } else { "" }, if side == Some(Side::Black) { 30 } else { 97 });
            return self.style.paint(&format!("{bold}{colour};{}", if changed { CHANGED } else { GROUND }), &shown);
        }
        let ansi = if changed { "33" } else { "1" };
        if marked || changed { self.style.paint(ansi, &shown) } else { shown }
    }

    /// The text between two fields.
    fn gap(&self, text: char) -> String {
        let text = text.to_string();
        if self.style.has_discs { self.style.paint(&format!("97;{GROUND}"), &text) } else { text }
    }

    /// The fields of a rank, with those at `marks` in brackets.
    fn rank(&self, points: &str, earlier: &str, marks: &[usize]) -> String {
        let mut earlier = earlier.chars();
        let (mut line, mut after_mark) = (String::new(), false);
        for (file, point) in points.chars().enumerate() {
            let marked = marks.contains(&file);
            line += &self.gap(match (marked, after_mark) {
                (true, _) => '[',
                (false, true) => ']',
                (false, false) => ' ',
            });
            let before = earlier.next().unwrap_or('.');
            let changed = is_turned(before, point) || self.axes == BoardAxes::Points && is_taken(before, point);
            line += &self.field(point, marked, changed);
            after_mark = marked;
        }
        match (after_mark, self.style.has_discs && self.style.has_colours) {
            (true, _) => line + &self.gap(']'),
            (false, true) => line + &self.gap(' '),
            (false, false) => line,
        }
    }
}

/// The disc of `side`.
pub(super) const fn disc(side: Side) -> char {
    match side {
        Side::Black => '●',
        Side::White => '○',
    }
}

/// How many stones changed sides between two boards.
pub(super) fn captured(before: &str, after: &str) -> usize {
    before.chars().zip(after.chars()).filter(|&(before, after)| is_turned(before, after)).count()
}

/// How many stones were removed between two boards.
pub(super) fn taken(before: &str, after: &str) -> usize {
    before.chars().zip(after.chars()).filter(|&(before, after)| is_taken(before, after)).count()
}

/// Whether this character represents the stone of a seat.
fn is_stone(point: char) -> bool {
    Side::BOTH.iter().any(|side| side.letter() == point) || point.is_ascii_digit()
}

fn is_turned(before: char, after: char) -> bool {
    is_stone(before) && is_stone(after) && before != after
}

fn is_taken(before: char, after: char) -> bool {
    is_stone(before) && after == '.'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_count_downwards_and_points_upwards_without_i() {
        let empty = [".........."; 10];
        let shown = |axes, played: &str| {
            let drawing = Drawing { axes, played: played.parse().ok(), style: Style::PLAIN };
            let lines = drawing.lines(&empty, &empty);
            let marked = lines.iter().find(|line| line.contains('[')).cloned().unwrap_or_default();
            (marked, lines[10].clone())
        };
        let squares = "   a b c d e f g h i j\n".to_owned();
        let points = "   a b c d e f g h j k\n".to_owned();
        assert_eq!(shown(BoardAxes::Squares, "i2"), (" 2 . . . . . . . .[.].\n".to_owned(), squares.clone()));
        assert_eq!(shown(BoardAxes::Squares, "a10-c8"), ("10[.]. . . . . . . . .\n".to_owned(), squares));
        assert_eq!(shown(BoardAxes::Points, "j10"), ("10 . . . . . . . .[.].\n".to_owned(), points.clone()));
        assert_eq!(shown(BoardAxes::Points, "i2"), (String::new(), points));
        let hostile = ["é1", "a", "a0", "a11", "z99999999999", "-", "pass"];
        assert!(
            hostile.iter().all(|text| BoardAxes::Squares.places(text.parse().unwrap_or(Move::PASS), 10).is_empty())
        );
    }

    #[test]
    fn stones_that_were_taken_are_in_colour_on_points_alone() {
        let colours = |axes| {
            let drawing = Drawing { axes, played: None, style: Style { has_colours: true, has_discs: false } };
            drawing.lines(&[".bw"], &["bww"]).concat().matches("\x1b[33m").count()
        };
        assert_eq!([BoardAxes::Points, BoardAxes::Squares].map(colours), [2, 1]);
        assert_eq!((captured("bww.", ".bwb"), taken("bww.", ".bwb")), (1, 1));
    }

    #[test]
    fn stones_are_discs_where_the_screen_can_show_them() {
        let drawn = |style, board: &str, before: &str| {
            let played = "b1".parse().ok();
            Drawing { axes: BoardAxes::Plain, played, style }.lines(&[board], &[before]).remove(0)
        };
        let discs = Style { has_colours: false, has_discs: true };
        assert_eq!(drawn(discs, ".bw", "..w"), "1 .[●]○\n");
        let colours = Style { has_colours: true, has_discs: true };
        // The background of the board is behind empty fields and between fields, too.
        let on = |colour: &str, ground: u8, text: &str| format!("\x1b[{colour};48;5;{ground}m{text}\x1b[0m");
        let [gap, empty] = [" ", "."].map(|text| on("97", 28, text));
        let black = on("97", 28, "[") + &on("1;30", 28, "●") + &on("97", 28, "]");
        let changed = format!("1{gap}{empty}{black}{}{gap}\n", on("97", 94, "○"));
        assert_eq!(drawn(colours, ".bw", "..b"), changed);
        // The stones of seats other than black and white are digits.
        assert_eq!(drawn(discs, "1.3", "1.3"), "1 1[.]3\n");
    }
}
