//! A game on the whole screen of a terminal.

mod board_input;
mod keys;
mod puzzle_screen;
mod scenes;
#[cfg(test)]
mod tests;
mod view;

use std::io;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;

use crate::practice::better_line::BetterLine;
use crate::practice::guided::GuidedGame;
use crate::practice::screen_loop::{ScreenEnd, ScreenView, shown_until_left};
use crate::practice::screen_text::ScreenLook;
use crate::practice::session::Session;
use crate::practice::typed::BoardRequest;
use board_input::BoardInput;
pub(crate) use puzzle_screen::ScreenPuzzles;

/// The maximum number of characters that can be typed: more than any move has.
const LONGEST: usize = 24;

/// A game on the screen.
#[derive(Debug)]
pub(crate) struct ScreenGame {
    game: GuidedGame,
    /// The better line that is being shown, and how many of its moves have been shown.
    better: Option<(BetterLine, usize)>,
    input: BoardInput,
    message: String,
    /// The request of the last key, if the next key must confirm it.
    asked: Option<BoardRequest>,
}

impl ScreenGame {
    /// The screen of `game`.
    pub(crate) fn new(game: GuidedGame) -> Self {
        let board = game.board();
        let input = BoardInput::new((board.ranks() / 2, board.files() / 2), LONGEST);
        Self { game, better: None, input, message: String::new(), asked: None }
    }

    /// Plays on the terminal until the person leaves, and returns the game in its final state.
    ///
    /// # Errors
    /// Fails if the terminal or a thread does.
    pub(crate) fn play(mut self, look: ScreenLook) -> io::Result<(Session, ScreenEnd)> {
        let end = shown_until_left(&mut self, look)?;
        Ok((self.game.into_session(), end))
    }
}

impl ScreenView for ScreenGame {
    fn collect(&mut self) -> io::Result<bool> {
        let plies = self.game.session().plies().len();
        let has_news = self.game.collect()?;
        if self.game.session().plies().len() != plies {
            self.input.typed.clear();
        }
        if let Some(refusal) = self.game.take_refusal() {
            self.message = refusal;
        }
        Ok(has_news)
    }

    fn draw(&self, look: ScreenLook, buffer: &mut Buffer) {
        view::draw(&scenes::scene(self), look, buffer);
    }

    fn press(&mut self, key: KeyEvent) -> Option<ScreenEnd> {
        self.obey_key(key)
    }
}
