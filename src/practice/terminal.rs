//! A game on the whole screen of a terminal.

#[cfg(test)]
mod tests;
mod view;

use std::io;
use std::time::Duration;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::practice::guided::{ChosenField, GuidedGame};
use crate::practice::screen_guard::{ScreenEvent, ScreenGuard, ScreenSignal};
use crate::practice::session::Session;
use crate::practice::shown_board::ShownBoard;
use crate::practice::typed::{BoardRequest, TypedLine};
pub(crate) use view::ScreenLook;

/// How often to look for answers of the opponent and of the solver, and for signals.
const LOOK: Duration = Duration::from_millis(40);

/// The longest text that can be typed: more than any move has.
const LONGEST: usize = 24;

/// How the screen was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScreenEnd {
    /// By the person.
    Left,
    /// By Ctrl-C.
    Interrupted,
    /// By SIGTERM, or another signal that ends programs.
    Terminated,
}

/// A game on the screen.
#[derive(Debug)]
pub(crate) struct ScreenGame {
    game: GuidedGame,
    /// The row from the top and the file of the marked field.
    cursor: (usize, usize),
    typed: String,
    message: String,
    /// Whether the last key asked to resign, and the next one has to confirm it.
    is_resigning: bool,
}

impl ScreenGame {
    /// The screen of `game`.
    pub(crate) fn new(game: GuidedGame) -> Self {
        let board = game.board();
        let cursor = (board.ranks() / 2, board.files() / 2);
        Self { game, cursor, typed: String::new(), message: String::new(), is_resigning: false }
    }

    /// Plays on the terminal until the person leaves, and returns the game as far as it was played.
    ///
    /// # Errors
    /// Fails if the terminal or a thread does.
    pub(crate) fn play(mut self, look: ScreenLook) -> io::Result<(Session, ScreenEnd)> {
        let guard = ScreenGuard::take_over()?;
        let mut screen = guard.screen()?;
        let mut is_stale = true;
        loop {
            is_stale |= self.collect()?;
            if is_stale {
                screen.draw(|frame| view::draw(&self, look, frame.buffer_mut()))?;
                is_stale = false;
            }
            let Some(event) = guard.next_within(LOOK)? else { continue };
            is_stale = true;
            let end = match event {
                ScreenEvent::Resized => {
                    screen = guard.screen()?;
                    None
                }
                ScreenEvent::Signal(ScreenSignal::Suspend) => {
                    guard.suspend()?;
                    screen = guard.screen()?;
                    None
                }
                ScreenEvent::Signal(ScreenSignal::Interrupt) => Some(ScreenEnd::Interrupted),
                ScreenEvent::Signal(ScreenSignal::Terminate) => Some(ScreenEnd::Terminated),
                ScreenEvent::Key(key) if key.modifiers.contains(KeyModifiers::CONTROL) => match key.code {
                    KeyCode::Char('c') => Some(ScreenEnd::Interrupted),
                    KeyCode::Char('z') => {
                        guard.suspend()?;
                        screen = guard.screen()?;
                        None
                    }
                    KeyCode::Char('l') => {
                        screen = guard.screen()?;
                        None
                    }
                    _ => None,
                },
                ScreenEvent::Key(key) => self.press(key),
            };
            if let Some(end) = end {
                drop(screen);
                drop(guard);
                return Ok((self.game.into_session(), end));
            }
        }
    }

    /// Takes the answers of the threads. Returns whether there were any.
    fn collect(&mut self) -> io::Result<bool> {
        let plies = self.game.session().plies().len();
        let has_news = self.game.collect()?;
        if self.game.session().plies().len() != plies {
            self.typed.clear();
        }
        Ok(has_news)
    }

    /// Does what a key asks for. Returns how the screen is left, if it is.
    fn press(&mut self, key: KeyEvent) -> Option<ScreenEnd> {
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
            BoardRequest::Help => view::HELP.clone_into(&mut self.message),
            BoardRequest::Why => {
                if let Err(why) = self.game.explain() {
                    self.tell(why);
                }
            }
            BoardRequest::Hint => self.game.toggle_hints(),
            BoardRequest::Undo => match self.game.take_back() {
                Ok(_) => self.typed.clear(),
                Err(why) => self.tell(why),
            },
            BoardRequest::Resign if was_resigning || self.game.is_waiting() => match self.game.resign() {
                Ok(()) => self.typed.clear(),
                Err(why) => self.tell(why),
            },
            BoardRequest::Resign if self.game.session().result().is_none() => {
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

    /// Plays a move of the person.
    fn play_move(&mut self, text: &str) {
        self.typed.clear();
        if let Err(why) = self.game.play(text) {
            self.message = why;
        }
    }
}
