//! What the keys do in a game on the screen.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::{ScreenGame, scenes};
use crate::practice::guided::ChosenField;
use crate::practice::screen_loop::ScreenEnd;
use crate::practice::shown_board::ShownBoard;
use crate::practice::typed::{BoardRequest, TypedLine};

/// The longest text that can be typed: more than any move has.
const LONGEST: usize = 24;

impl ScreenGame {
    /// Does what a key asks for. Returns how the screen is left, if it is.
    pub(super) fn obey_key(&mut self, key: KeyEvent) -> Option<ScreenEnd> {
        if self.better.is_some() {
            return self.step(key.code);
        }
        self.message.clear();
        let was_resigning = std::mem::take(&mut self.is_resigning);
        let board = self.game.board();
        let (row, file) = self.cursor;
        match key.code {
            KeyCode::Up => self.cursor.0 = row.saturating_sub(1),
            KeyCode::Down => self.cursor.0 = (row + 1).min(board.ranks().saturating_sub(1)),
            KeyCode::Left => self.cursor.1 = file.saturating_sub(1),
            KeyCode::Right => self.cursor.1 = (file + 1).min(board.files().saturating_sub(1)),
            KeyCode::Esc => self.typed.clear(),
            KeyCode::Backspace => {
                self.typed.pop();
            }
            KeyCode::Enter if !self.typed.is_empty() => return self.obey_typed(was_resigning),
            KeyCode::Enter | KeyCode::Char(' ') => self.choose_field(&board.name(row, file)),
            KeyCode::Char(letter) => match self.request_of(letter, &board) {
                Some(request) => return self.obey(request, was_resigning),
                None if letter.is_ascii_graphic() && self.typed.len() < LONGEST => {
                    self.typed.push(letter.to_ascii_lowercase());
                }
                None => {}
            },
            _ => {}
        }
        None
    }

    /// The request of a key. A small letter is none while a move is typed, or if a move can begin with it.
    fn request_of(&self, letter: char, board: &ShownBoard) -> Option<BoardRequest> {
        let is_free = self.typed.is_empty() && !board.has_letter(letter);
        if !letter.is_ascii_uppercase() && !is_free {
            return None;
        }
        match letter.to_ascii_lowercase() {
            'u' => Some(BoardRequest::Undo),
            'h' => Some(BoardRequest::Hint),
            'v' => Some(BoardRequest::Why),
            'l' => Some(BoardRequest::Line),
            'r' => Some(BoardRequest::Resign),
            'q' => Some(BoardRequest::Quit),
            '?' => Some(BoardRequest::Help),
            _ => None,
        }
    }

    fn obey_typed(&mut self, was_resigning: bool) -> Option<ScreenEnd> {
        match TypedLine::of(&std::mem::take(&mut self.typed)) {
            TypedLine::Blank => None,
            TypedLine::Request(request) => self.obey(request, was_resigning),
            TypedLine::Move(text) => {
                if let Err(why) = self.game.play(&text) {
                    self.message = why;
                }
                None
            }
        }
    }

    fn obey(&mut self, request: BoardRequest, was_resigning: bool) -> Option<ScreenEnd> {
        match request {
            BoardRequest::Quit => return Some(ScreenEnd::Left),
            BoardRequest::Help => self.tell(scenes::HELP),
            BoardRequest::Why => {
                if let Err(why) = self.game.explain() {
                    self.tell(why);
                }
            }
            BoardRequest::Line => self.show_line(),
            BoardRequest::Hint => self.game.toggle_hints(),
            BoardRequest::Undo => match self.game.take_back() {
                Ok(_) => self.typed.clear(),
                Err(why) => self.tell(why),
            },
            BoardRequest::Resign if was_resigning || self.game.is_waiting() => match self.game.resign() {
                Ok(()) => self.typed.clear(),
                Err(why) => self.tell(why),
            },
            BoardRequest::Resign if self.game.session().end().is_none() => {
                self.is_resigning = true;
                self.tell("to resign, ask for it once more");
            }
            BoardRequest::Resign => {}
        }
        None
    }

    fn tell(&mut self, message: &str) {
        message.clone_into(&mut self.message);
    }

    /// Plays the move on a field, or begins or continues with it a move that names several fields.
    fn choose_field(&mut self, name: &str) {
        let begun = std::mem::take(&mut self.typed);
        match self.game.choose_field(name, &begun) {
            ChosenField::Played(_) => {}
            ChosenField::Begun(text) => self.typed = text,
            ChosenField::Refused(why) => self.message = why,
        }
    }

    /// Shows the better line on the board, if it has been found.
    fn show_line(&mut self) {
        if self.game.loss().is_none()
            && let Err(why) = self.game.explain()
        {
            self.tell(why);
            return;
        }
        match self.game.better_line() {
            Some(better) => self.better = Some((better, 1)),
            None => self.tell("no better line is known yet"),
        }
    }

    /// Does what a key asks for while a better line is shown.
    fn step(&mut self, code: KeyCode) -> Option<ScreenEnd> {
        let (better, moves) = self.better.as_mut()?;
        match code {
            KeyCode::Char(' ') | KeyCode::Right | KeyCode::Enter => *moves = (*moves + 1).min(better.moves()),
            KeyCode::Left | KeyCode::Backspace => *moves = moves.saturating_sub(1),
            KeyCode::Esc | KeyCode::Char('l' | 'L') => self.better = None,
            KeyCode::Char('q' | 'Q') => return Some(ScreenEnd::Left),
            _ => {}
        }
        None
    }
}
