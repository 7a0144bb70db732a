//! Games as pictures in SVG: a position, or a whole game as an animation.
//!
//! A picture needs no network, no script and no other file. An animation changes only `transform` and `opacity`, which
//! browsers animate without a new layout, and starts over when it ends; readers who prefer reduced motion, and programs
//! that do not show animations, see the last position. The pages' script `bundle/picture.js` writes the same bytes.

mod boards;
mod film;
mod result_words;

use std::fmt::Write as _;

use crate::base::sanitise::sanitised;
use crate::game::{Ruleset, Seat};
use crate::referee::record::{LoggedGame, Out, Ply};
use boards::PicturedBoard;
use result_words::result_words;

/// The empty space around everything.
const MARGIN: u32 = 16;
/// The height of a line with the names of two players.
const LINE: u32 = 26;
/// The space between two boards.
const GAP: u32 = 20;
/// How many columns of a name are shown.
const NAME: usize = 24;

/// A game that can be drawn.
#[derive(Clone, Debug)]
pub struct PicturedGame {
    /// The letter of each seat's stones, with the name of the seat's player.
    seats: Vec<(char, String)>,
    boards: Vec<PicturedBoard>,
    /// The letters of all fields before the first ply and after each ply: board by board, each from its top left
    /// corner.
    positions: Vec<Vec<char>>,
    plies: Vec<PicturedPly>,
    rules: String,
    result: String,
}

/// A ply: its move, and the fields on which it put stones.
#[derive(Clone, Debug)]
struct PicturedPly {
    text: String,
    placed: Vec<usize>,
}

impl PicturedGame {
    /// The pictures of `game`, which must be valid: a move that the rules refuse ends the picture.
    pub fn of(game: &LoggedGame) -> Self {
        let ruleset = game.ruleset();
        let boards = PicturedBoard::all(ruleset);
        let outs = match game {
            LoggedGame::Two(_) => &[][..],
            LoggedGame::Group(record) => &record.outs,
        };
        let seats = Seat::all(game.seats()).map(|seat| {
            let letter = seat.letter(game.seats());
            (letter, sanitised(game.player(seat)))
        });
        let seats = seats.collect();
        let (positions, plies) = replayed(ruleset, &boards, game.plies(), outs);
        Self { seats, boards, positions, plies, rules: ruleset.to_string(), result: result_words(game) }
    }

    /// The number of plies.
    pub fn plies(&self) -> usize {
        self.plies.len()
    }

    /// A picture of the position after `ply` plies; `None` if the game has fewer plies.
    pub fn still(&self, ply: usize) -> Option<String> {
        let position = self.positions.get(ply)?;
        let mut svg = self.opening("");
        svg += &self.stones(position);
        svg += &self.told(ply);
        Some(svg + "</svg>\n")
    }

    /// The beginning of the file, with the text for screen readers, the style sheet `style`, and everything that never
    /// changes.
    fn opening(&self, style: &str) -> String {
        let (width, height) = self.size();
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"system-ui,sans-serif\" font-size=\"16\">\n\
             <title>{}</title>\n<desc>{}</desc>\n{style}<defs>\n",
            escaped(&self.title()),
            escaped(&self.description())
        );
        for (number, board) in self.boards.iter().enumerate() {
            svg += &board.symbols(number, self.seats.iter().map(|(letter, _)| *letter));
        }
        let _ = writeln!(svg, "</defs>\n<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#fcfcfa\"/>");
        svg += &self.names();
        for board in &self.boards {
            svg += &board.drawn();
        }
        svg
    }

    /// `ada (black) v bob (white)`, or the players by seat.
    fn title(&self) -> String {
        match self.seats.as_slice() {
            [(_, black), (_, white)] => format!("{black} (black) v {white} (white)"),
            seats => seats.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", "),
        }
    }

    /// The rules, the result and the moves.
    fn description(&self) -> String {
        let moves = self.plies.iter().map(|ply| ply.text.as_str()).collect::<Vec<_>>().join(" ");
        let plies = if self.plies.len() == 1 { "1 ply".to_owned() } else { format!("{} plies", self.plies.len()) };
        format!("{}, {plies}, {}: {moves}", self.rules, self.result)
    }

    /// The width and the height.
    fn size(&self) -> (u32, u32) {
        let width: u32 = self.boards.iter().map(PicturedBoard::width).sum();
        let gaps = GAP * u32::try_from(self.boards.len().saturating_sub(1)).unwrap_or(0);
        let height = self.boards.iter().map(PicturedBoard::height).max().unwrap_or(0);
        (width + gaps + 2 * MARGIN, boards_top(self.seats.len()) + height + 3 * MARGIN)
    }

    /// The names of the players, two to a line, each after the player's stone.
    fn names(&self) -> String {
        let (width, _) = self.size();
        let mut svg = String::new();
        for (index, (letter, name)) in (0_u32..).zip(&self.seats) {
            let x = MARGIN + (index % 2) * (width / 2 - MARGIN / 2);
            let y = MARGIN + LINE * (index / 2) + 10;
            let _ = writeln!(
                svg,
                "<g transform=\"translate({} {y})\"><g transform=\"scale(0.18)\">{}</g></g>\
                 <text x=\"{}\" y=\"{}\" fill=\"#1d1f21\" font-weight=\"600\">{}</text>",
                x + 10,
                boards::stone(*letter),
                x + 28,
                y + 6,
                escaped(&shortened(name))
            );
        }
        svg
    }

    /// The stones of `position`.
    fn stones(&self, position: &[char]) -> String {
        let fields = position.iter().enumerate().filter(|(_, letter)| **letter != '.');
        fields.fold(String::new(), |svg, (field, letter)| svg + &self.stone(field, *letter, "") + "\n")
    }

    /// The stone `letter` on `field`, with the additional attributes `more`.
    fn stone(&self, field: usize, letter: char, more: &str) -> String {
        let (number, board) = self.board_of(field);
        let (x, y) = board.centre(field);
        format!("<use href=\"#s{letter}{number}\" x=\"{x}\" y=\"{y}\"{more}/>")
    }

    /// The board that contains `field`, and its number.
    fn board_of(&self, field: usize) -> (usize, &PicturedBoard) {
        let number = self.boards.iter().rposition(|board| board.first <= field).unwrap_or(0);
        (number, &self.boards[number])
    }

    /// The text about the position after `ply` plies, and rings around the stones that were placed last.
    fn told(&self, ply: usize) -> String {
        let (_, height) = self.size();
        let last = ply.checked_sub(1).map(|index| &self.plies[index]);
        let rings = last.iter().flat_map(|last| &last.placed).map(|field| {
            let (number, board) = self.board_of(*field);
            let (x, y) = board.centre(*field);
            format!("<use href=\"#r{number}\" x=\"{x}\" y=\"{y}\"/>")
        });
        let text = match last {
            Some(last) => format!("Ply {ply} of {}: {}", self.plies.len(), last.text),
            None => "Start".to_owned(),
        };
        let end = if ply == self.plies.len() { format!(" · {}", self.result) } else { String::new() };
        let rings: String = rings.collect();
        let y = height - 26;
        format!("{rings}<text x=\"{MARGIN}\" y=\"{y}\" fill=\"#1d1f21\">{}</text>\n", escaped(&(text + &end)))
    }
}

/// The height of the names of `seats` players, with the space above and below.
fn boards_top(seats: usize) -> u32 {
    MARGIN + LINE * u32::try_from(seats.div_ceil(2)).unwrap_or(0) + 6
}

/// The positions and the plies of a game.
fn replayed(
    ruleset: Ruleset,
    boards: &[PicturedBoard],
    plies: &[Ply],
    outs: &[Out],
) -> (Vec<Vec<char>>, Vec<PicturedPly>) {
    let letters = |text: String| text.chars().filter(|letter| *letter != '\n').collect::<Vec<_>>();
    let mut position = ruleset.start();
    let mut positions = vec![letters(position.to_string())];
    let mut pictured = Vec::with_capacity(plies.len());
    for (index, ply) in plies.iter().enumerate() {
        outs.iter().filter(|out| out.after_plies == index).for_each(|out| position.drop_out(out.seat));
        // The second of two boards is the Go board.
        let number = usize::from(boards.len() > 1 && matches!(position.mode_name(), Some("go" | "proof")));
        if position.play(ply.played.as_str()).is_err() {
            break;
        }
        positions.push(letters(position.to_string()));
        let placed = boards.get(number).map(|board| board.placed(ply.played)).unwrap_or_default();
        pictured.push(PicturedPly { text: ply.played.as_str().to_owned(), placed });
    }
    (positions, pictured)
}

/// The beginning of `name` that fits in [`NAME`] columns. East Asian characters, and all characters with higher codes,
/// are counted as two columns wide.
fn shortened(name: &str) -> String {
    let (mut shown, mut left) = (String::new(), NAME);
    for letter in name.chars() {
        let Some(rest) = left.checked_sub(if letter < '\u{1100}' { 1 } else { 2 }) else { return shown + "…" };
        left = rest;
        shown.push(letter);
    }
    shown
}

/// `text`, sanitised, as the contents of an XML element.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            // XML cannot contain these two characters in any form.
            '\u{fffe}' | '\u{ffff}' => shown.push('\u{fffd}'),
            _ => shown.push(letter),
        }
    }
    shown
}

#[cfg(test)]
mod tests;
