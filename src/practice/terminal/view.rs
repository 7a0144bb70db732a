//! The contents of a screen with a board.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use crate::game::{Move, Side};
use crate::practice::advice_text::{brief, value_at};
use crate::practice::findings::{MoveFinding, MoveValue};
use crate::practice::screen_text::{LEAST_SCREEN, ScreenLook, TextColumn, paragraph, paragraphs, put, wrapped};
use crate::practice::shown_board::ShownBoard;

/// The narrowest column for text beside the board. If there is less room, the text is below the board.
const LEAST_TEXT: usize = 16;

/// The number of rows above and below the board and its text, and the minimum number of rows of text below a board.
const ROWS_AROUND: usize = 3;
const ROWS_OF_TEXT: usize = 4;

/// The emphasis of a paragraph beside the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextTone {
    Plain,
    Strong,
    Notice,
}

/// A board, and the text around it.
#[derive(Debug)]
pub(super) struct BoardScene<'a> {
    /// The line above the board.
    pub(super) heading: String,
    /// What the keys do, briefly.
    pub(super) keys: String,
    pub(super) board: ShownBoard,
    /// The side to move, and its legal moves if they are to be shown.
    pub(super) side: Side,
    pub(super) legal: Vec<Move>,
    /// The values of moves, which are shown on their points.
    pub(super) hints: &'a [MoveFinding],
    /// The field with brackets.
    pub(super) cursor: Option<(usize, usize)>,
    /// The fields with parentheses.
    pub(super) marked: Vec<(usize, usize)>,
    /// The paragraphs beside or below the board. Printable.
    pub(super) texts: Vec<(String, TextTone)>,
}

/// Draws `scene` on the whole of `buffer`.
pub(super) fn draw(scene: &BoardScene<'_>, look: ScreenLook, buffer: &mut Buffer) {
    let (width, height) = (usize::from(buffer.area.width), usize::from(buffer.area.height));
    let board = &scene.board;
    let cell = cell_width(board);
    let label = board.ranks().to_string().len();
    let across = label + board.files() * cell + 1;
    let down = board.ranks() + 1;
    let has_room_beside = width >= across + 2 + LEAST_TEXT;
    let least_down = down + if has_room_beside { ROWS_AROUND } else { ROWS_AROUND + ROWS_OF_TEXT };
    let least = (usize::from(LEAST_SCREEN.0).max(across), usize::from(LEAST_SCREEN.1).max(least_down));
    if width < least.0 || height < least.1 {
        let text = format!("too small: needs {}x{}, is {width}x{height}; q quits", least.0, least.1);
        paragraph(buffer, &text, TextColumn { x: 0, y: 0, width, height }, Style::default());
        return;
    }
    put(buffer, 0, 0, &scene.heading, Style::default().add_modifier(Modifier::BOLD));
    let keys = wrapped(&scene.keys, width);
    let foot = height - keys.len();
    for (line, y) in keys.iter().zip(foot..) {
        put(buffer, 0, y, line, look.colour(Color::Cyan));
    }
    draw_board(scene, look, buffer);
    let beside = across + 2;
    let column = if has_room_beside {
        TextColumn { x: beside, y: 2, width: width - beside, height: foot.saturating_sub(2) }
    } else {
        TextColumn { x: 0, y: 2 + down, width, height: foot.saturating_sub(2 + down) }
    };
    let styled = |(text, tone): &(String, TextTone)| {
        let style = match tone {
            TextTone::Plain => Style::default(),
            TextTone::Strong => Style::default().add_modifier(Modifier::BOLD),
            TextTone::Notice => look.colour(Color::Yellow),
        };
        (text.clone(), style)
    };
    let texts: Vec<(String, Style)> = scene.texts.iter().map(styled).collect();
    paragraphs(buffer, &texts, column);
}

/// The width of a field, which has room for hints on small boards.
fn cell_width(board: &ShownBoard) -> usize {
    match board.files() {
        0..=6 => 4,
        7..=9 => 3,
        _ => 2,
    }
}

fn draw_board(scene: &BoardScene<'_>, look: ScreenLook, buffer: &mut Buffer) {
    let board = &scene.board;
    let (cell, label, top) = (cell_width(board), board.ranks().to_string().len(), 2);
    for row in 0..board.ranks() {
        put(buffer, 0, top + row, &format!("{:>label$}", board.rank(row)), Style::default());
        for file in 0..board.files() {
            let (x, y) = (label + file * cell, top + row);
            let (text, style) = field(scene, look, (row, file));
            put(buffer, x + 1, y, &text, style);
            let brackets = if scene.cursor == Some((row, file)) {
                Some(["[", "]"])
            } else {
                scene.marked.contains(&(row, file)).then_some(["(", ")"])
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

/// The contents of a field: a stone, a hint, a dot if a move can begin there, or nothing.
fn field(scene: &BoardScene<'_>, look: ScreenLook, (row, file): (usize, usize)) -> (String, Style) {
    let (stone, name) = (scene.board.field(row, file), scene.board.name(row, file));
    let begins = |played: &Move| played.as_str().split(['-', '+']).next() == Some(name.as_str());
    if stone != '.' {
        (look.stone(stone).to_string(), Style::default().add_modifier(Modifier::BOLD))
    } else if let Some(value) = value_at(scene.hints, &name) {
        (brief(value, scene.side), hint_style(look, value, scene.side))
    } else if scene.legal.iter().any(begins) {
        (look.free().to_owned(), Style::default())
    } else {
        (" ".to_owned(), Style::default())
    }
}

fn hint_style(look: ScreenLook, value: MoveValue, side: Side) -> Style {
    look.colour(match side.score(value.outcome.winner) {
        1 => Color::Green,
        0 => Color::Yellow,
        _ => Color::Red,
    })
}
