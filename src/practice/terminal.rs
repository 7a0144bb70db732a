//! A game on the whole screen of a terminal.

#[cfg(test)]
mod tests;
mod view;

use std::io;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};

use crate::base::time::now;
use crate::game::{Move, Side};
use crate::practice::findings::MoveFinding;
use crate::practice::hints::{Adviser, BoardInquiry};
use crate::practice::plain::BoardSeating;
use crate::practice::screen_loop::{ScreenEnd, ScreenView, shown_until_left};
use crate::practice::screen_text::ScreenLook;
use crate::practice::session::Session;
use crate::practice::shown_board::ShownBoard;
use crate::practice::typed::{BoardRequest, TypedLine};
use crate::referee::record::Ply;

/// The longest text that can be typed: more than any move has.
const LONGEST: usize = 24;

/// What a move gave away, as far as it is found.
#[derive(Debug)]
struct LossShown {
    played: Move,
    inquiry: BoardInquiry,
    found: Vec<MoveFinding>,
}

/// A game on the screen.
#[derive(Debug)]
pub(crate) struct ScreenGame {
    session: Session,
    seating: BoardSeating,
    adviser: Adviser,
    /// Whether hints are shown at each turn of the person.
    with_hints: bool,
    hint: Option<BoardInquiry>,
    /// The hints for the present position.
    hints: Vec<MoveFinding>,
    loss: Option<LossShown>,
    /// The row from the top and the file of the marked field.
    cursor: (usize, usize),
    typed: String,
    message: String,
    /// Whether the opponent has been asked for its move.
    is_waiting: bool,
    /// Whether the last key asked to resign, and the next one has to confirm it.
    is_resigning: bool,
}

impl ScreenView for ScreenGame {
    fn collect(&mut self) -> io::Result<bool> {
        let mut has_news = false;
        if let BoardSeating::Against(_, opponent) = &self.seating
            && self.is_waiting
            && let Some(played) = opponent.answer_within(Duration::ZERO).map_err(io::Error::other)?
        {
            self.is_waiting = false;
            self.session.play(played.as_str()).map_err(io::Error::other)?;
            self.begin_turn();
            has_news = true;
        }
        let at_once = now();
        let next = |inquiry: &BoardInquiry| inquiry.next_before(at_once);
        while let Some(finding) = self.hint.as_ref().and_then(next) {
            self.hints.push(finding);
            has_news = true;
        }
        if let Some(loss) = &mut self.loss {
            while let Some(finding) = next(&loss.inquiry) {
                loss.found.push(finding);
                has_news = true;
            }
        }
        Ok(has_news)
    }

    fn draw(&self, look: ScreenLook, buffer: &mut Buffer) {
        view::draw(self, look, buffer);
    }

    fn press(&mut self, key: KeyEvent) -> Option<ScreenEnd> {
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
}

impl ScreenGame {
    /// The game of `session`, between those in `seating`.
    ///
    /// # Errors
    /// Fails if there is no thread left.
    pub(crate) fn new(session: Session, seating: BoardSeating) -> io::Result<Self> {
        let game = session.game();
        let board = ShownBoard::of(game.position(), game.ruleset());
        let (cursor, adviser) = ((board.ranks() / 2, board.files() / 2), Adviser::start(game.ruleset())?);
        let mut game = Self {
            session,
            seating,
            adviser,
            with_hints: false,
            hint: None,
            hints: Vec::new(),
            loss: None,
            cursor,
            typed: String::new(),
            message: String::new(),
            is_waiting: false,
            is_resigning: false,
        };
        game.begin_turn();
        Ok(game)
    }

    /// Plays on the terminal until the person leaves, and returns the game as far as it was played.
    ///
    /// # Errors
    /// Fails if the terminal or a thread does.
    pub(crate) fn play(mut self, look: ScreenLook) -> io::Result<(Session, ScreenEnd)> {
        let end = shown_until_left(&mut self, look)?;
        Ok((self.session, end))
    }

    fn board(&self) -> ShownBoard {
        let game = self.session.game();
        ShownBoard::of(game.position(), game.ruleset())
    }

    /// Whether the person is to move.
    fn is_own_turn(&self) -> bool {
        self.session.result().is_none() && self.seating.is_person(self.session.to_move())
    }

    /// The side whose last move is taken back or explained.
    fn taker(&self) -> Option<Side> {
        match &self.seating {
            BoardSeating::Against(person, _) => Some(*person),
            BoardSeating::Two => self.session.plies().last().map(Ply::side),
        }
    }

    /// Does what is to be done once the position has changed.
    fn begin_turn(&mut self) {
        (self.hint, self.hints) = (None, Vec::new());
        self.typed.clear();
        if let BoardSeating::Against(_, opponent) = &self.seating
            && self.session.result().is_none()
            && !self.seating.is_person(self.session.to_move())
        {
            opponent.ask(self.session.game());
            self.is_waiting = true;
        }
        self.ask_for_hints();
    }

    fn ask_for_hints(&mut self) {
        if self.with_hints && self.is_own_turn() {
            self.hint = Some(self.adviser.moves(self.session.game()));
        }
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
            BoardRequest::Why => self.explain(),
            BoardRequest::Hint => {
                self.with_hints = !self.with_hints;
                (self.hint, self.hints) = (None, Vec::new());
                self.ask_for_hints();
            }
            BoardRequest::Undo | BoardRequest::Resign if self.is_waiting => self.tell("the opponent is thinking"),
            BoardRequest::Undo => match self.taker().and_then(|side| self.session.take_back(side)) {
                Some(_) => {
                    self.loss = None;
                    self.begin_turn();
                }
                None => self.tell("you have no move to take back"),
            },
            BoardRequest::Resign if was_resigning => {
                self.session.resign();
                self.begin_turn();
            }
            BoardRequest::Resign if self.session.result().is_none() => {
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
        self.loss = Some(LossShown { played: ply.played, inquiry, found: Vec::new() });
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
        if self.is_waiting {
            self.tell("the opponent is thinking");
            return;
        }
        match self.session.play(text) {
            Ok(_) => {
                self.loss = None;
                self.begin_turn();
            }
            Err(refused) => self.message = refused.to_string(),
        }
    }
}
