//! How a game is drawn on the screen.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use super::GameScreen;
use crate::game::{Seat, Side};
use crate::practice::advice_text::hint_lines;
use crate::practice::findings::MoveValue;
use crate::practice::screen_text::{LEAST_SCREEN, ScreenLook, TextColumn, paragraph, paragraphs, put, wrapped};
use crate::practice::shown_board::ShownBoard;
use crate::practice::viewer::story::StoryFrame;
use crate::results::analysis::MoveQuality;

/// The narrowest column for text beside the board. If there is less room, the text is below the board.
const LEAST_TEXT: usize = 16;

/// The number of rows above the board, and the minimum number of rows of text below it.
const TOP: usize = 2;
const ROWS_OF_TEXT: usize = 4;

/// The width of the bar that shows the value, and the margin at which it is full.
const BAR: usize = 14;
const FULL: i32 = 25;

/// The parts of a screen with a board.
pub(crate) struct BoardRoom {
    /// Where the text beside or below the board is.
    pub(crate) text: TextColumn,
    /// The row of the first line of keys.
    pub(crate) foot: usize,
}

/// Draws `screen` on the whole of `buffer`; `status` is a line about where the game comes from.
pub(super) fn draw(screen: &GameScreen, look: ScreenLook, buffer: &mut Buffer, status: &str) {
    let frame = screen.story.frame(screen.at);
    let foot_lines = wrapped(screen.keys(), usize::from(buffer.area.width).max(1));
    let Some(room) = board_room(&frame.board, buffer, foot_lines.len()) else { return };
    let bold = Style::default().add_modifier(Modifier::BOLD);
    put(buffer, 0, 0, screen.story.heading(), bold);
    put(buffer, 0, 1, status, Style::default());
    for (line, y) in foot_lines.iter().zip(room.foot..) {
        put(buffer, 0, y, line, look.colour(Color::Cyan));
    }
    draw_board(&frame.board, &frame.marks, look, buffer);
    draw_text(screen, frame, look, buffer, room.text);
}

/// Determines where the text and `feet` lines of keys go, beside or below `board`. If the window is too small, says so
/// and returns `None`.
pub(crate) fn board_room(board: &ShownBoard, buffer: &mut Buffer, feet: usize) -> Option<BoardRoom> {
    let (width, height) = (usize::from(buffer.area.width), usize::from(buffer.area.height));
    let (across, down) = size_of(board);
    let is_beside = width >= across + 2 + LEAST_TEXT;
    let least_down = TOP + down + feet + if is_beside { 0 } else { ROWS_OF_TEXT };
    let least = (usize::from(LEAST_SCREEN.0).max(across), usize::from(LEAST_SCREEN.1).max(least_down));
    if width < least.0 || height < least.1 {
        let text = format!("too small: needs {}x{}, is {width}x{height}; q quits", least.0, least.1);
        paragraph(buffer, &text, TextColumn { x: 0, y: 0, width, height }, Style::default());
        return None;
    }
    let foot = height - feet;
    let (x, y) = if is_beside { (across + 2, TOP) } else { (0, TOP + down) };
    let text = TextColumn { x, y, width: width - x, height: foot.saturating_sub(y) };
    Some(BoardRoom { text, foot })
}

/// How many columns and rows a board takes with its coordinates.
fn size_of(board: &ShownBoard) -> (usize, usize) {
    let label = board.ranks().to_string().len();
    (label + board.files() * cell_width(board) + 1, board.ranks() + 1)
}

/// The width of a field.
fn cell_width(board: &ShownBoard) -> usize {
    match board.files() {
        0..=6 => 4,
        7..=9 => 3,
        _ => 2,
    }
}

/// Draws `board` below the first rows of the screen, with brackets round the fields `marks`.
pub(crate) fn draw_board(board: &ShownBoard, marks: &[(usize, usize)], look: ScreenLook, buffer: &mut Buffer) {
    let (cell, label) = (cell_width(board), board.ranks().to_string().len());
    for row in 0..board.ranks() {
        put(buffer, 0, TOP + row, &format!("{:>label$}", board.rank(row)), Style::default());
        for file in 0..board.files() {
            let (x, y) = (label + file * cell, TOP + row);
            let (text, style) = match board.field(row, file) {
                '.' => (look.free().to_owned(), Style::default()),
                stone => (look.stone(stone).to_string(), Style::default().add_modifier(Modifier::BOLD)),
            };
            put(buffer, x + 1, y, &text, style);
            if marks.contains(&(row, file)) {
                put(buffer, x, y, "(", look.colour(Color::Yellow));
                put(buffer, x + 2, y, ")", look.colour(Color::Yellow));
            }
        }
    }
    for file in 0..board.files() {
        let letter = board.letter(file).to_string();
        put(buffer, label + file * cell + 1, TOP + board.ranks(), &letter, Style::default());
    }
}

/// Draws the move, the bots' output, the clocks, the value, the findings, and the moves before and after this move.
fn draw_text(screen: &GameScreen, frame: &StoryFrame, look: ScreenLook, buffer: &mut Buffer, column: TextColumn) {
    let mut lines = heads(screen, frame, look);
    let used: usize = lines.iter().map(|(line, _)| wrapped(line, column.width).len()).sum();
    // A bot that writes a lot must not hide the clocks and the value.
    let height = column.height.saturating_sub(used) / 2;
    let said = paragraph_end(&screen.stderr(), TextColumn { height, ..column });
    lines.extend(said.into_iter().map(|line| (line, Style::default())));
    lines.extend(texts(screen, frame, look, column.width));
    let mut rest = paragraphs(buffer, &lines, column);
    if rest.height > 1 {
        rest.y += 1;
        rest.height -= 1;
        paragraph(buffer, &move_list(screen, rest), rest, Style::default());
    }
}

/// The last of `lines` that fit into `column`, wrapped. If they do not all fit, the first line says so.
fn paragraph_end(lines: &[String], column: TextColumn) -> Vec<String> {
    let lines: Vec<String> = lines.iter().flat_map(|line| wrapped(line, column.width)).collect();
    let Some(surplus) = lines.len().checked_sub(column.height).filter(|surplus| *surplus > 0) else { return lines };
    let rest = lines.into_iter().skip(surplus + 1);
    std::iter::once(CUT.to_owned()).chain(rest).take(column.height).collect()
}

/// The line that replaces the lines of stderr for which there is no room.
const CUT: &str = "(more before)";

/// The message to the person, and the move.
fn heads(screen: &GameScreen, frame: &StoryFrame, look: ScreenLook) -> Vec<(String, Style)> {
    let mut texts = Vec::new();
    if !screen.message.is_empty() {
        texts.push((screen.message.clone(), look.colour(Color::Yellow)));
    }
    let label = if screen.at == 0 {
        frame.label.clone()
    } else {
        format!("ply {}/{}: {}", screen.at, screen.story.plies(), frame.label)
    };
    texts.push((label, Style::default().add_modifier(Modifier::BOLD)));
    texts
}

fn texts(screen: &GameScreen, frame: &StoryFrame, look: ScreenLook, width: usize) -> Vec<(String, Style)> {
    let plain = Style::default();
    let story = &screen.story;
    let mut texts = Vec::new();
    let colour = match frame.quality {
        Some(MoveQuality::Blunder) => look.colour(Color::Red),
        Some(MoveQuality::LostStones) => look.colour(Color::Yellow),
        _ => plain,
    };
    texts.extend(frame.lines.iter().map(|line| (line.clone(), colour)));
    texts.extend(story.names().all_seats().map(|seat| (player_line(screen, frame, seat, look), plain)));
    if frame.to_move.is_some() && story.names().seats() == 2 {
        texts.push((value_line(screen.value(), look, width), plain));
    }
    if let Some((known, all)) = screen.searching() {
        texts.push((format!("solving: {known} of {all} moves, Esc stops"), look.colour(Color::Cyan)));
    }
    if let (Some(found), Some(seat)) = (screen.found.get(&screen.at), frame.to_move) {
        let lines = hint_lines(&screen.legal(), seat.side(), found);
        texts.extend(lines.into_iter().map(|line| (line.trim_end().to_owned(), plain)));
    }
    if screen.at == story.plies() {
        texts.extend(story.ending().iter().map(|line| (line.clone(), plain.add_modifier(Modifier::BOLD))));
    }
    texts
}

/// The line about a player, such as `● ann 0:59.000 to move`.
fn player_line(screen: &GameScreen, frame: &StoryFrame, seat: Seat, look: ScreenLook) -> String {
    let names = screen.story.names();
    let stone = look.stone(seat.letter(names.seats()));
    let left = frame.left.get(seat).copied().flatten().map(|left| format!(" {}", clock(left))).unwrap_or_default();
    let turn = if frame.to_move == Some(seat) { ", to move" } else { "" };
    format!("{stone} {}{left}{turn}", names[seat])
}

/// The time `left` as text, such as `0:59.9`.
fn clock(left: Duration) -> String {
    let (seconds, tenths) = (left.as_secs(), left.subsec_millis() / 100);
    format!("{}:{:02}.{tenths}", seconds / 60, seconds % 60)
}

/// The value in words, with a bar if there is room: black's part is full, white's is empty.
fn value_line(value: Option<MoveValue>, look: ScreenLook, width: usize) -> String {
    let Some(value) = value else { return "value: ? (s solves)".to_owned() };
    let text = format!("value: {value}");
    if width < text.len() + BAR + 3 {
        return text;
    }
    let lead = match (value.outcome.margin, value.outcome.winner) {
        (Some(margin), _) => margin.clamp(-FULL, FULL),
        (None, Some(Side::Black)) => FULL,
        (None, Some(Side::White)) => -FULL,
        (None, None) => 0,
    };
    let filled = usize::try_from((lead + FULL) * i32::try_from(BAR).unwrap_or(0) / (2 * FULL)).unwrap_or_default();
    let (full, empty) = if look.unicode { ("█", "░") } else { ("#", "-") };
    format!("{text} [{}{}]", full.repeat(filled), empty.repeat(BAR - filled))
}

/// A part of the game's moves that fits into `column`. It contains the shown move, in brackets.
fn move_list(screen: &GameScreen, column: TextColumn) -> String {
    let words: Vec<String> = (1..=screen.story.plies())
        .map(|ply| {
            let frame = screen.story.frame(ply);
            let mark = match frame.quality {
                Some(MoveQuality::Blunder) => "??",
                Some(MoveQuality::LostStones) => "?",
                _ => "",
            };
            let brief = &frame.brief;
            if ply == screen.at { format!("[{brief}{mark}]") } else { format!("{brief}{mark}") }
        })
        .collect();
    // The first words are left out until the shown move fits.
    let mut first = 0;
    while first < screen.at {
        let until = words[first..screen.at].join(" ");
        if wrapped(&until, column.width).len() <= column.height.div_ceil(2) {
            break;
        }
        first += 1;
    }
    words[first..].join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Outcome;

    #[test]
    fn the_bar_is_black_s_part_of_the_value() {
        let look = ScreenLook { unicode: false, colours: false };
        let line = |outcome: Outcome| value_line(Some(outcome.into()), look, 60);
        assert_eq!(line(Outcome::of_margin(25)), "value: black wins by 25 [##############]");
        assert_eq!(line(Outcome::of_margin(0)), "value: draw [#######-------]");
        let white = Outcome { winner: Some(Side::White), margin: None };
        assert_eq!(line(white), "value: white wins [--------------]");
        assert_eq!(value_line(Some(white.into()), look, 20), "value: white wins");
        assert_eq!(value_line(None, look, 60), "value: ? (s solves)");
    }

    #[test]
    fn clocks_show_tenths() {
        assert_eq!(clock(Duration::from_millis(62_987)), "1:02.9");
    }
}
