//! What the screen of a game shows.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use super::ScreenGame;
use crate::base::sanitise::sanitised;
use crate::game::Side;
use crate::practice::advice_text::{brief, hint_lines, loss_text, value_at};
use crate::practice::board_game::BoardGame;
use crate::practice::findings::MoveValue;
use crate::practice::seating::BoardSeating;
use crate::practice::shown_board::ShownBoard;
use crate::referee::record::verdict;
use crate::results::replay::arrivals;

/// What the keys do.
pub(super) const HELP: &str = "arrows and Enter, or a typed move, play; Space joins fields: b1-a1; capitals (H) work on every \
                               board; hints: +n by the margin, W won, L lost, = draw";

/// What the keys do, briefly.
const KEYS: &str = "u undo  h hint  v why  r resign  q quit  ? help";

/// The smallest window.
const LEAST: (u16, u16) = (40, 16);

/// The narrowest column for text beside the board. If there is less room, the text is below the board.
const LEAST_TEXT: usize = 16;

/// How many rows there are above and below the board and its text, and how many rows of text there must be below a board.
const ROWS_AROUND: usize = 3;
const ROWS_OF_TEXT: usize = 4;

/// How things look on this terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScreenLook {
    /// Whether the terminal shows more than ASCII.
    pub(crate) unicode: bool,
    /// Whether colours are wanted. Nothing is told by colour alone.
    pub(crate) colours: bool,
}

impl ScreenLook {
    fn stone(self, letter: char) -> char {
        match (letter, self.unicode) {
            ('b', true) => '●',
            ('w', true) => '○',
            (other, _) => other,
        }
    }

    const fn free(self) -> &'static str {
        if self.unicode { "·" } else { "." }
    }

    fn colour(self, colour: Color) -> Style {
        if self.colours { Style::default().fg(colour) } else { Style::default() }
    }
}

/// A part of the screen, in cells.
#[derive(Clone, Copy)]
struct TextColumn {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

/// Draws `game` on the whole of `buffer`.
pub(super) fn draw(game: &ScreenGame, look: ScreenLook, buffer: &mut Buffer) {
    let (width, height) = (usize::from(buffer.area.width), usize::from(buffer.area.height));
    let board = game.game.board();
    let cell = cell_width(&board);
    let label = board.ranks().to_string().len();
    let across = label + board.files() * cell + 1;
    let down = board.ranks() + 1;
    let has_room_beside = width >= across + 2 + LEAST_TEXT;
    let least_down = down + if has_room_beside { ROWS_AROUND } else { ROWS_AROUND + ROWS_OF_TEXT };
    let least = (usize::from(LEAST.0).max(across), usize::from(LEAST.1).max(least_down));
    if width < least.0 || height < least.1 {
        let text = format!("needs {}x{}, has {width}x{height}; q quits", least.0, least.1);
        paragraph(buffer, &text, TextColumn { x: 0, y: 0, width, height }, Style::default());
        return;
    }
    put(buffer, 0, 0, &heading(game), Style::default().add_modifier(Modifier::BOLD));
    let keys = wrapped(KEYS, width);
    let foot = height - keys.len();
    for (line, y) in keys.iter().zip(foot..) {
        put(buffer, 0, y, line, look.colour(Color::Cyan));
    }
    draw_board(game, look, &board, buffer);
    let beside = across + 2;
    let text = if has_room_beside {
        TextColumn { x: beside, y: 2, width: width - beside, height: foot.saturating_sub(2) }
    } else {
        TextColumn { x: 0, y: 2 + down, width, height: foot.saturating_sub(2 + down) }
    };
    draw_text(game, look, buffer, text);
}

/// The width of a field, which has room for hints on small boards.
fn cell_width(board: &ShownBoard) -> usize {
    match board.files() {
        0..=6 => 4,
        7..=9 => 3,
        _ => 2,
    }
}

fn heading(game: &ScreenGame) -> String {
    let session = game.game.session();
    let (players, ruleset) = (session.players(), session.game().ruleset());
    match game.game.seating() {
        BoardSeating::Against(person, _) => {
            format!("{ruleset}: you are {person}, against {}", sanitised(&players[person.opponent()]))
        }
        BoardSeating::Two => format!("{ruleset}: you play both sides"),
    }
}

fn draw_board(game: &ScreenGame, look: ScreenLook, board: &ShownBoard, buffer: &mut Buffer) {
    let (cell, label, top) = (cell_width(board), board.ranks().to_string().len(), 2);
    let session = game.game.session();
    let position = session.game().position();
    let (legal, side) = (position.legal_moves(), position.to_move());
    let last = session.plies().last().map(|ply| ply.played);
    // In the games on two boards, only the text names the last move.
    let is_marked = !matches!(session.game(), BoardGame::Quantum(_));
    let marked = last.filter(|_| is_marked).map_or_else(Vec::new, |last| arrivals(last, board.ranks()));
    for row in 0..board.ranks() {
        put(buffer, 0, top + row, &format!("{:>label$}", board.rank(row)), Style::default());
        for file in 0..board.files() {
            let (x, y) = (label + file * cell, top + row);
            let (stone, name) = (board.field(row, file), board.name(row, file));
            let begins = || legal.iter().any(|played| played.as_str().split(['-', '+']).next() == Some(name.as_str()));
            let value = value_at(game.game.hints(), &name);
            let (text, style) = if stone != '.' {
                (look.stone(stone).to_string(), Style::default().add_modifier(Modifier::BOLD))
            } else if let Some(value) = value {
                (brief(value, side), hint_style(look, value, side))
            } else if game.game.is_own_turn() && begins() {
                (look.free().to_owned(), Style::default())
            } else {
                (" ".to_owned(), Style::default())
            };
            put(buffer, x + 1, y, &text, style);
            let brackets = if game.cursor == (row, file) {
                Some(["[", "]"])
            } else {
                marked.contains(&(row, file)).then_some(["(", ")"])
            };
            if let Some([open, close]) = brackets {
                put(buffer, x, y, open, look.colour(Color::Yellow));
                put(buffer, x + 1 + text.chars().count(), y, close, look.colour(Color::Yellow));
            }
        }
    }
    for file in 0..board.files() {
        let letter = board.letter(file).to_string();
        put(buffer, label + file * cell + 1, top + board.ranks(), &letter, Style::default());
    }
}

fn hint_style(look: ScreenLook, value: MoveValue, side: Side) -> Style {
    look.colour(match side.score(value.outcome.winner) {
        1 => Color::Green,
        0 => Color::Yellow,
        _ => Color::Red,
    })
}

/// Whose turn it is, the last move, the message, and what has been asked for.
fn draw_text(screen: &ScreenGame, look: ScreenLook, buffer: &mut Buffer, column: TextColumn) {
    let plain = Style::default();
    let (game, session) = (&screen.game, screen.game.session());
    let mut texts = Vec::new();
    match session.result() {
        Some(result) => texts.push((verdict(&Ok(result)), plain.add_modifier(Modifier::BOLD))),
        None if game.is_waiting() => texts.push((format!("{} thinks", session.to_move()), plain)),
        None => texts.push((format!("{} to move", session.to_move()), plain)),
    }
    if let Some(last) = session.plies().last() {
        texts.push((format!("last: {} by {}", last.played, last.side()), plain));
    }
    if !screen.typed.is_empty() {
        texts.push((format!("> {}", screen.typed), plain));
    }
    if !screen.message.is_empty() {
        texts.push((screen.message.clone(), look.colour(Color::Yellow)));
    }
    if let Some(loss) = game.loss() {
        texts.extend(loss_text(loss.played(), loss.found()).lines().map(|line| (line.to_owned(), plain)));
    }
    if game.has_hints() && game.is_own_turn() {
        let position = session.game().position();
        let lines = hint_lines(&position.legal_moves(), position.to_move(), game.hints());
        texts.extend(lines.into_iter().map(|line| (line.trim_end().to_owned(), plain)));
    }
    let mut column = column;
    for (text, style) in texts {
        let lines = paragraph(buffer, &text, column, style);
        column.y += lines;
        column.height -= lines;
    }
}

/// Writes `text` into `column`, and returns how many lines it takes. What does not fit is left out.
fn paragraph(buffer: &mut Buffer, text: &str, column: TextColumn, style: Style) -> usize {
    let lines = wrapped(text, column.width);
    let shown = lines.len().min(column.height);
    for (line, y) in lines[..shown].iter().zip(column.y..) {
        put(buffer, column.x, y, line, style);
    }
    shown
}

/// `text` in lines of at most `width` characters, broken at spaces where possible.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let letters: Vec<char> = word.chars().collect();
        for (index, part) in letters.chunks(width.max(1)).enumerate() {
            let line = lines.last_mut().expect("there is a first line");
            let used = line.chars().count();
            if used == 0 && index == 0 {
                line.extend(part);
            } else if index == 0 && used + 1 + part.len() <= width {
                line.push(' ');
                line.extend(part);
            } else {
                lines.push(part.iter().collect());
            }
        }
    }
    lines
}

/// Writes `text`, which is printable, as far as it fits on its line.
fn put(buffer: &mut Buffer, x: usize, y: usize, text: &str, style: Style) {
    let (Ok(x), Ok(y)) = (u16::try_from(x), u16::try_from(y)) else { return };
    if x < buffer.area.width && y < buffer.area.height {
        buffer.set_stringn(x, y, text, usize::from(buffer.area.width - x), style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_at_spaces_and_long_words_anywhere() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh i", 3), ["abc", "def", "gh", "i"]);
        assert_eq!(wrapped("", 5), [""]);
    }
}
