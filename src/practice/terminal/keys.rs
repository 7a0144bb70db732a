//! The effects of the keys in a game on the screen.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::board_input::BoardKey;
use super::{ScreenGame, scenes};
use crate::practice::guided::ChosenField;
use crate::practice::screen_loop::ScreenEnd;
use crate::practice::shown_board::ShownBoard;
use crate::practice::typed::{BoardRequest, TypedLine};

/// Whether a move on `board` can begin with `letter`: the letter names a file, or it is the first letter of `pass`. A
/// letter that is not ASCII counts as the beginning of a move, because the input drops it anyway.
fn begins_move(letter: char, board: &ShownBoard) -> bool {
    let small = letter.to_ascii_lowercase();
    small == 'p' || board.has_letter(small) || !small.is_ascii_graphic()
}

impl ScreenGame {
    /// Obeys a key. If the key leaves the screen, returns how.
    pub(super) fn obey_key(&mut self, key: KeyEvent) -> Option<ScreenEnd> {
        if self.better.is_some() {
            return self.step(key.code);
        }
        self.message.clear();
        let asked = self.asked.take();
        let board = self.game.board();
        match self.input.press(key.code, &board) {
            BoardKey::Taken | BoardKey::Other => {}
            BoardKey::Typed(text) => return self.obey_typed(&text, asked),
            BoardKey::Field(name) => self.choose_field(&name),
            BoardKey::Letter(letter) => match self.request_of(letter, &board) {
                Some(request) => return self.obey(request, asked),
                None if self.input.typed.is_empty() && !begins_move(letter, &board) => {
                    self.message = format!("{letter} is neither a key nor the start of a move (? shows the keys)");
                }
                None => self.input.push(letter),
            },
        }
        None
    }

    /// The request that the key `letter` makes. A lower-case letter makes no request while a move is being typed, or if
    /// a move can begin with it.
    fn request_of(&self, letter: char, board: &ShownBoard) -> Option<BoardRequest> {
        let is_free = self.input.typed.is_empty() && !board.has_letter(letter);
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

    fn obey_typed(&mut self, text: &str, asked: Option<BoardRequest>) -> Option<ScreenEnd> {
        match TypedLine::of(text) {
            TypedLine::Blank => None,
            TypedLine::Request(request) => self.obey(request, asked),
            TypedLine::Move(text) => {
                if let Err(why) = self.game.play(&text) {
                    self.message = why;
                }
                None
            }
        }
    }

    fn obey(&mut self, request: BoardRequest, asked: Option<BoardRequest>) -> Option<ScreenEnd> {
        match request {
            BoardRequest::Quit if asked == Some(request) || self.game.session().end().is_some() => {
                return Some(ScreenEnd::Left);
            }
            BoardRequest::Quit => {
                self.asked = Some(request);
                self.tell_again("to leave the game", 'q');
            }
            BoardRequest::Help => self.tell(scenes::HELP),
            BoardRequest::Why => {
                if let Err(why) = self.game.explain() {
                    self.tell(why);
                }
            }
            BoardRequest::Line => self.show_line(),
            BoardRequest::Hint => self.game.toggle_hints(),
            BoardRequest::Undo => match self.game.take_back() {
                Ok(_) => self.input.typed.clear(),
                Err(why) => self.tell(why),
            },
            BoardRequest::Resign if asked == Some(request) || self.game.is_waiting() => match self.game.resign() {
                Ok(()) => self.input.typed.clear(),
                Err(why) => self.tell(why),
            },
            BoardRequest::Resign if self.game.session().end().is_none() => {
                self.asked = Some(request);
                self.tell_again("to resign", 'r');
            }
            BoardRequest::Resign => {}
        }
        None
    }

    /// Tells the person to press the key `letter` again to do `what`. If the board has a file with this letter, only
    /// the capital letter is a key.
    fn tell_again(&mut self, what: &str, letter: char) {
        let key = scenes::key_on(&self.game.board(), letter);
        self.message = format!("{what}, press {key} again");
    }

    fn tell(&mut self, message: &str) {
        message.clone_into(&mut self.message);
    }

    /// Plays the move on the field `name`, or uses this field to begin or continue a move that names several fields.
    fn choose_field(&mut self, name: &str) {
        let begun = std::mem::take(&mut self.input.typed);
        match self.game.choose_field(name, &begun) {
            ChosenField::Played(_) => {}
            ChosenField::Begun(text) => self.input.typed = text,
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

    /// Obeys a key while a better line is shown.
    fn step(&mut self, code: KeyCode) -> Option<ScreenEnd> {
        let (better, moves) = self.better.as_mut()?;
        match code {
            KeyCode::Char(' ') | KeyCode::Right | KeyCode::Enter => *moves = (*moves + 1).min(better.moves()),
            KeyCode::Left | KeyCode::Backspace => *moves = moves.saturating_sub(1),
            KeyCode::Esc | KeyCode::Char('l' | 'L') => self.better = None,
            KeyCode::Char('q' | 'Q') => {
                self.better = None;
                return self.obey(BoardRequest::Quit, None);
            }
            _ => {}
        }
        None
    }
}
