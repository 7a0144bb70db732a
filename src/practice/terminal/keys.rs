//! What the keys do in a game on the screen.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::{LossShown, ScreenGame, scenes};
use crate::practice::better_line::BetterLine;
use crate::practice::distant_opponent::NO_TAKE_BACK;
use crate::practice::findings::MoveFinding;
use crate::practice::plain::BoardSeating;
use crate::practice::screen_loop::ScreenEnd;
use crate::practice::shown_board::ShownBoard;
use crate::practice::typed::{BoardRequest, TypedLine};

/// The longest text that can be typed: more than any move has.
const LONGEST: usize = 24;

/// What is said about a request that has to wait for the opponent.
const THINKS: &str = "the opponent is thinking";

impl ScreenGame {
    /// Does what a key asks for. Returns how the screen is left, if it is.
    pub(super) fn obey_key(&mut self, key: KeyEvent) -> Option<ScreenEnd> {
        if self.better.is_some() {
            return self.step(key.code);
        }
        self.message.clear();
        let was_resigning = std::mem::take(&mut self.is_resigning);
        let board = self.board();
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
                self.play_move(&text);
                None
            }
        }
    }

    fn obey(&mut self, request: BoardRequest, was_resigning: bool) -> Option<ScreenEnd> {
        match request {
            BoardRequest::Quit => return Some(ScreenEnd::Left),
            BoardRequest::Help => scenes::HELP.clone_into(&mut self.message),
            BoardRequest::Why => self.explain(),
            BoardRequest::Line => self.show_line(),
            BoardRequest::Hint => {
                self.with_hints = !self.with_hints;
                (self.hint, self.hints) = (None, Vec::new());
                self.ask_for_hints();
            }
            BoardRequest::Undo if matches!(self.seating, BoardSeating::Distant(..)) => self.tell(NO_TAKE_BACK),
            BoardRequest::Undo if self.is_waiting => self.tell(THINKS),
            BoardRequest::Resign if self.session.end().is_none() && !self.is_own_turn() => self.tell(THINKS),
            BoardRequest::Undo => match self.taker().and_then(|side| self.session.take_back(side)) {
                Some(_) => {
                    self.loss = None;
                    self.begin_turn();
                }
                None => self.tell("you have no move to take back"),
            },
            BoardRequest::Resign if was_resigning && self.session.end().is_none() => {
                if let BoardSeating::Distant(_, opponent) = &mut self.seating {
                    opponent.tell_resignation(&self.session);
                }
                self.session.resign();
                self.begin_turn();
            }
            BoardRequest::Resign if self.session.end().is_none() => {
                self.is_resigning = true;
                self.tell("to resign, ask for it once more");
            }
            BoardRequest::Resign => {}
        }
        None
    }

    pub(super) fn tell(&mut self, message: &str) {
        message.clone_into(&mut self.message);
    }

    /// Asks what the last move gave away, or hides the answer.
    fn explain(&mut self) {
        if self.loss.take().is_some() {
            return;
        }
        let Some(index) = self.taker().and_then(|side| self.session.last_of(side)) else {
            self.tell("you have not moved yet");
            return;
        };
        let (before, ply, after) = self.session.around(index);
        let inquiry = self.adviser.loss(before, ply.played, after);
        self.loss = Some(LossShown { played: ply.played, before: before.clone(), inquiry, found: Vec::new() });
    }

    /// Plays the move on a field, or begins or continues with it a move that names several fields.
    fn choose_field(&mut self, name: &str) {
        let legal = self.session.game().position().legal_moves();
        let texts = if self.typed.is_empty() {
            vec![name.to_owned()]
        } else {
            ["-", "+"].map(|sign| format!("{}{sign}{name}", self.typed)).to_vec()
        };
        let begun = texts.iter().find(|text| legal.iter().any(|played| played.as_str().starts_with(text.as_str())));
        match begun {
            Some(text) if legal.iter().all(|played| played.as_str() != text) => self.typed.clone_from(text),
            Some(text) => self.play_move(&text.clone()),
            None => self.play_move(&texts[0].clone()),
        }
    }

    /// Plays a move of the person.
    fn play_move(&mut self, text: &str) {
        self.typed.clear();
        if self.session.end().is_none() && !self.is_own_turn() {
            self.tell(THINKS);
            return;
        }
        let played = match &mut self.seating {
            // The referee measures the time.
            BoardSeating::Distant(_, opponent) => {
                let played = self.session.play(text);
                if played.is_ok() {
                    opponent.tell_move(&self.session);
                }
                played
            }
            BoardSeating::Against(..) | BoardSeating::Two => {
                self.session.play_after(text, self.turn_began.elapsed())
            }
        };
        match played {
            Ok(_) => {
                self.loss = None;
                self.begin_turn();
            }
            Err(refused) => self.message = refused.to_string(),
        }
    }

    /// Shows the better line on the board, if it has been found.
    fn show_line(&mut self) {
        if self.loss.is_none() {
            self.explain();
        }
        let found = self.loss.as_ref().and_then(|loss| {
            loss.found.iter().rev().find_map(|finding| match finding {
                MoveFinding::BetterLine(moves) => BetterLine::new(&loss.before, moves),
                _ => None,
            })
        });
        match found {
            Some(better) => self.better = Some((better, 1)),
            None if self.loss.is_some() => self.tell("no better line is known yet"),
            None => {}
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
