//! The boards of a picture: where their fields are, and how fields and stones are drawn.

use std::fmt::Write as _;

use super::{GAP, MARGIN, boards_top};
use crate::game::{Move, Ruleset};
use crate::results::replay::grid::BoardAxes;

/// The height of a board, from which the size of its fields follows.
const HEIGHT: u32 = 480;
/// The width of the rank numbers, and the height of the file letters.
const LABELS: u32 = 22;

/// One of the boards of a picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct PicturedBoard {
    axes: BoardAxes,
    colours: &'static BoardColours,
    /// The number of ranks, and of files.
    size: u32,
    /// The number of the field at the top left corner.
    pub(super) first: usize,
    /// The left and the top edge.
    left: u32,
    top: u32,
}

/// The colours of a board: its surface, its lines, and the rings around stones.
#[derive(Debug)]
struct BoardColours {
    surface: &'static str,
    line: &'static str,
    ring: &'static str,
}

const WOOD: BoardColours = BoardColours { surface: "#dcb98a", line: "#a98455", ring: "#0060b0" };
const FELT: BoardColours = BoardColours { surface: "#3f8f63", line: "#1f5a3b", ring: "#ffe066" };

// The stones of more than two seats, or their outlines, have a contrast of at least 3:1 with these boards.
const PALE_WOOD: BoardColours = BoardColours { surface: "#efe3cd", line: "#94794c", ring: "#14161a" };
const PALE_FELT: BoardColours = BoardColours { surface: "#dfe9e1", line: "#6f8a7a", ring: "#14161a" };

impl BoardColours {
    const fn of(axes: BoardAxes, seats: usize) -> &'static Self {
        match (axes, seats > 2) {
            (BoardAxes::Squares, false) => &FELT,
            (BoardAxes::Squares, true) => &PALE_FELT,
            (BoardAxes::Plain | BoardAxes::Points, false) => &WOOD,
            (BoardAxes::Plain | BoardAxes::Points, true) => &PALE_WOOD,
        }
    }
}

impl PicturedBoard {
    /// The boards of `ruleset` from left to right.
    pub(super) fn all(ruleset: Ruleset) -> Vec<Self> {
        let sizes = match ruleset {
            Ruleset::Gothello | Ruleset::Seegover(_) => vec![(BoardAxes::Plain, 5)],
            Ruleset::Quantum(rules) => {
                let (squares, points) = (rules.lineup().squares(), rules.lineup().points());
                vec![(BoardAxes::Squares, squares), (BoardAxes::Points, points)]
            }
        };
        let (mut boards, mut left, mut first) = (Vec::new(), MARGIN + LABELS, 0);
        let top = boards_top(ruleset.seats().into());
        for (axes, size) in sizes.into_iter().filter(|(_, size)| *size > 0) {
            let colours = BoardColours::of(axes, ruleset.seats().into());
            let board = Self { axes, colours, size: size.into(), first, left, top };
            left += board.width() + GAP;
            first += usize::from(size).pow(2);
            boards.push(board);
        }
        boards
    }

    /// The width and the height of a field.
    const fn field(&self) -> u32 {
        HEIGHT / self.size
    }

    /// The width, including the rank numbers.
    pub(super) const fn width(&self) -> u32 {
        self.size * self.field() + LABELS
    }

    /// The height, including the file letters.
    pub(super) const fn height(&self) -> u32 {
        self.size * self.field() + LABELS
    }

    /// The fields on which `played` puts stones.
    pub(super) fn placed(&self, played: Move) -> Vec<usize> {
        let ranks = usize::try_from(self.size).unwrap_or(0);
        let places = self.axes.places(played, ranks);
        places.into_iter().map(|(row, file)| self.first + row * ranks + file).collect()
    }

    /// The row and the file of `field`, both from 0.
    fn place(&self, field: usize) -> (u32, u32) {
        let index = u32::try_from(field - self.first).unwrap_or(0);
        (index / self.size, index % self.size)
    }

    /// The middle of `field`.
    pub(super) fn centre(&self, field: usize) -> (f64, f64) {
        let (row, file) = self.place(field);
        let middle = |edge: u32, number: u32| f64::from(edge + number * self.field()) + f64::from(self.field()) / 2.0;
        (middle(self.left, file), middle(self.top, row))
    }

    /// The symbols for the stones of the seats with these letters, for a ring and for an empty field, on the board with
    /// this number.
    pub(super) fn symbols(&self, number: usize, letters: impl Iterator<Item = char>) -> String {
        let BoardColours { surface, line, ring } = self.colours;
        // Stones are drawn with a diameter of 100, and fill four fifths of a field.
        let scale = f64::from(self.field()) / 125.0;
        let mut svg = String::new();
        for letter in letters {
            let _ =
                writeln!(svg, "<g id=\"s{letter}{number}\"><g transform=\"scale({scale})\">{}</g></g>", stone(letter));
        }
        let _ = writeln!(
            svg,
            "<g id=\"r{number}\"><circle r=\"54\" transform=\"scale({scale})\" fill=\"none\" stroke=\"{ring}\" stroke-width=\"8\"/></g>"
        );
        let (size, half) = (self.field(), f64::from(self.field()) / 2.0);
        let stroke = if self.axes == BoardAxes::Points { String::new() } else { format!(" stroke=\"{line}\"") };
        let _ = writeln!(
            svg,
            "<rect id=\"e{number}\" x=\"-{half}\" y=\"-{half}\" width=\"{size}\" height=\"{size}\" fill=\"{surface}\"{stroke}/>"
        );
        svg
    }

    /// The board without stones, with its numbers and letters.
    pub(super) fn drawn(&self) -> String {
        let BoardColours { surface, line, .. } = self.colours;
        let (size, field) = (self.size * self.field(), self.field());
        let mut svg = format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{size}\" height=\"{size}\" fill=\"{surface}\" stroke=\"{line}\"/>\n",
            self.left, self.top
        );
        if self.axes == BoardAxes::Points {
            for index in 0..usize::try_from(self.size * self.size).unwrap_or(0) {
                svg += &self.crossing(self.first + index);
            }
            svg.push('\n');
        } else {
            let mut path = String::new();
            for number in 1..self.size {
                let (x, y) = (self.left + number * field, self.top + number * field);
                let _ = write!(path, "M{x} {}v{size}M{} {y}h{size}", self.top, self.left);
            }
            let _ = writeln!(svg, "<path d=\"{path}\" stroke=\"{line}\"/>");
        }
        svg + &self.labels()
    }

    /// The lines through a point, and its dot if it has one.
    fn crossing(&self, field: usize) -> String {
        let line = self.colours.line;
        let (row, file) = self.place(field);
        let ((x, y), half, last) = (self.centre(field), f64::from(self.field()) / 2.0, self.size - 1);
        let from = |number: u32, middle: f64| if number == 0 { middle } else { middle - half };
        let to = |number: u32, middle: f64| if number == last { middle } else { middle + half };
        let path = format!("M{} {y}H{}M{x} {}V{}", from(file, x), to(file, x), from(row, y), to(row, y));
        let dot = if self.is_star(row, file) {
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{line}\"/>")
        } else {
            String::new()
        };
        format!("<path d=\"{path}\" stroke=\"{line}\"/>{dot}")
    }

    /// Whether the point is marked with a dot, as on a wooden board.
    fn is_star(&self, row: u32, file: u32) -> bool {
        if self.size < 7 {
            return false;
        }
        let (edge, middle) = (if self.size < 13 { 2 } else { 3 }, self.size / 2);
        let is_odd = self.size % 2 == 1;
        let is_place = |number| {
            let is_middle = self.size >= 13 && is_odd && number == middle;
            is_middle || number == edge || number == self.size - 1 - edge
        };
        (is_place(file) && is_place(row)) || (is_odd && file == middle && row == middle)
    }

    /// The numbers of the ranks and the letters of the files.
    fn labels(&self) -> String {
        let field = self.field();
        let mut svg = "<g font-size=\"12\" fill=\"#595e64\" text-anchor=\"middle\">".to_owned();
        let ranks = usize::try_from(self.size).unwrap_or(0);
        for (row, file, number) in
            (0..ranks).zip(self.axes.letters()).zip(0_u32..).map(|((row, file), n)| (row, file, n))
        {
            let along = |edge: u32| f64::from(edge + number * field) + f64::from(field) / 2.0;
            let _ = write!(
                svg,
                "<text x=\"{}\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\">{file}</text>",
                self.left - 11,
                along(self.top) + 4.0,
                self.axes.rank(row, ranks),
                along(self.left),
                self.top + self.size * field + 16
            );
        }
        svg + "</g>\n"
    }

    /// `field`, drawn empty.
    pub(super) fn emptied(&self, number: usize, field: usize) -> String {
        let (x, y) = self.centre(field);
        let lines = if self.axes == BoardAxes::Points { self.crossing(field) } else { String::new() };
        format!("<use href=\"#e{number}\" x=\"{x}\" y=\"{y}\"/>{lines}")
    }
}

/// A stone with a diameter of 100. In games with more than two seats, the seats' stones also differ in shape.
pub(super) const fn stone(letter: char) -> &'static str {
    match letter {
        'b' => "<circle r=\"49\" fill=\"#1b1b1b\" stroke=\"#000\" stroke-width=\"2\"/>",
        'w' => "<circle r=\"49\" fill=\"#f8f6f1\" stroke=\"#8a8478\" stroke-width=\"2\"/>",
        '1' => "<circle r=\"50\" fill=\"#0072b2\"/>",
        '2' => "<rect x=\"-43\" y=\"-43\" width=\"86\" height=\"86\" fill=\"#111\"/>",
        '3' => "<path d=\"M0-50 50 46H-50z\" fill=\"#006b4f\"/>",
        '4' => "<path d=\"M0-54 54 0 0 54-54 0z\" fill=\"#c14a00\"/>",
        '5' => {
            "<path d=\"M0-54 14-18 54-14 23 12 33 52 0 30-33 52-23 12-54-14-14-18z\" fill=\"#f7e85c\" stroke=\"#8a7d00\" stroke-width=\"3\"/>"
        }
        _ => "<path d=\"M-22-50H22V-22H50V22H22V50H-22V22H-50V-22H-22z\" fill=\"#9b3d83\"/>",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of a colour such as `#0072b2` or `#111`, as defined by WCAG 2.2.
    fn luminance(colour: &str) -> f64 {
        let digits = colour.trim_start_matches('#');
        let width = digits.len() / 3;
        let channel = |number: usize| {
            let text = &digits[number * width..(number + 1) * width];
            let text = if width == 1 { text.repeat(2) } else { text.to_owned() };
            let share = f64::from(u8::from_str_radix(&text, 16).expect("two digits")) / 255.0;
            if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(0) + 0.7152 * channel(1) + 0.0722 * channel(2)
    }

    #[test]
    fn the_stones_of_each_seat_stand_out_from_the_boards() {
        for letter in ['1', '2', '3', '4', '5', '6'] {
            for board in [BoardAxes::Squares, BoardAxes::Points] {
                let board = luminance(BoardColours::of(board, 4).surface);
                let colours = stone(letter).split('"').filter(|part| part.starts_with('#'));
                let contrasts = colours.map(|colour| {
                    let colour = luminance(colour);
                    (board.max(colour) + 0.05) / (board.min(colour) + 0.05)
                });
                let best = contrasts.fold(0.0, f64::max);
                assert!(best >= 3.0, "seat {letter}: {best:.2}");
            }
        }
    }
}
