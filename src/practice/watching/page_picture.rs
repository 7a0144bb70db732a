//! The contents of a live page's screen.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use super::heard_page::{HeardRun, WatchedGame};
use crate::practice::screen_text::{LEAST_SCREEN, ScreenLook, TextColumn, paragraph, paragraphs, put, wrapped};
use crate::practice::viewer::{board_room, draw_board};

/// What the keys do.
const KEYS: &str = "arrows other games  q quit";

/// How many of the leaders are shown.
const LEADERS: usize = 5;

/// Draws the game in the place `slot` of `run`, with the leaders and the latest lines of the log.
pub(super) fn draw(run: &HeardRun, slot: usize, look: ScreenLook, buffer: &mut Buffer) {
    let (width, height) = (usize::from(buffer.area.width), usize::from(buffer.area.height));
    let keys = wrapped(KEYS, width.max(1));
    let game = run.games.get(&slot);
    let board = game.and_then(|game| Some((game, game.board.as_ref()?)));
    let column = match board {
        Some((game, board)) => {
            let Some(room) = board_room(board, buffer, keys.len()) else { return };
            draw_board(board, &game.marks, look, buffer);
            room.text
        }
        None if width < usize::from(LEAST_SCREEN.0) || height < usize::from(LEAST_SCREEN.1) => {
            let text = format!("too small: needs {}x{}, is {width}x{height}; q quits", LEAST_SCREEN.0, LEAST_SCREEN.1);
            paragraph(buffer, &text, TextColumn { x: 0, y: 0, width, height }, Style::default());
            return;
        }
        None => TextColumn { x: 0, y: 2, width, height: height.saturating_sub(2 + keys.len()) },
    };
    let state = if run.is_over { ", the run is over" } else { "" };
    let heading = if run.title.is_empty() { "waiting for the page".to_owned() } else { run.title.clone() };
    put(buffer, 0, 0, &heading, Style::default().add_modifier(Modifier::BOLD));
    put(buffer, 0, 1, &format!("{}{state}", run.progress()), Style::default());
    for (line, y) in keys.iter().zip(height - keys.len()..) {
        put(buffer, 0, y, line, look.colour(Color::Cyan));
    }
    draw_text(run, game, buffer, column);
}

fn draw_text(run: &HeardRun, game: Option<&WatchedGame>, buffer: &mut Buffer, column: TextColumn) {
    let mut texts = Vec::new();
    match game {
        None => texts.push("no game is being played".to_owned()),
        Some(game) => {
            let place = run.games.values().position(|other| other == game).unwrap_or_default() + 1;
            texts.push(format!("game {place} of {}: {}", run.games.len(), game.id));
            texts.extend(
                game.players
                    .iter()
                    .enumerate()
                    .map(|(seat, (name, left))| player_line(game, seat, name, left.as_deref())),
            );
            let last = game.last.as_ref().map(|last| format!(", last {last}")).unwrap_or_default();
            texts.push(format!("ply {}{last}", game.ply));
        }
    }
    texts.push(String::new());
    texts.extend(run.leaders.iter().take(LEADERS).cloned());
    texts.push(String::new());
    // The latest lines come first, so that they are visible even on a small screen.
    texts.extend(run.log.iter().rev().cloned());
    let texts: Vec<(String, Style)> = texts.into_iter().map(|text| (text, Style::default())).collect();
    paragraphs(buffer, &texts, column);
}

/// The line about a player, such as `black ann 59` or `seat 3 cyd`.
fn player_line(game: &WatchedGame, seat: usize, name: &str, left: Option<&str>) -> String {
    let left = left.map(|left| format!(" {left}")).unwrap_or_default();
    match (game.players.len(), seat) {
        (2, 0) => format!("black {name}{left}"),
        (2, _) => format!("white {name}{left}"),
        (_, seat) => format!("seat {} {name}{left}", seat + 1),
    }
}
