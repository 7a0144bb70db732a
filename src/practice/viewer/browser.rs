//! The list of games and the game that was opened from it, on one screen.

use std::io;
use std::num::NonZeroUsize;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;

use super::game_keys::GameKey;
use super::game_list::{GameList, ListRequest};
use super::game_screen::{GameRequest, GameScreen};
use super::library::GameLibrary;
use crate::base::sanitise::sanitised;
use crate::practice::screen_loop::{ScreenEnd, ScreenView, shown_until_left};
use crate::practice::screen_text::ScreenLook;
use crate::run::game_files::GameFilesError;

/// How many games a page key skips in the list.
const PAGE: usize = 10;

/// Games to look at.
#[derive(Debug)]
pub(crate) struct GameBrowser {
    library: GameLibrary,
    /// The number of the solver's threads.
    threads: NonZeroUsize,
    list: GameList,
    /// The game that is open, with its number in the library.
    open: Option<(usize, GameScreen)>,
    /// The commands to print at the end.
    kept: Vec<String>,
    /// Whether games are opened with their bots' stderr.
    shows_stderr: bool,
    /// The error, if a thread could not be started.
    failed: Option<io::Error>,
}

impl GameBrowser {
    /// A browser of `library` that solves positions on `threads` threads. If there is only one game, it is opened
    /// immediately.
    ///
    /// # Errors
    /// Fails if there is only one game and that game is not valid.
    pub(crate) fn new(mut library: GameLibrary, threads: NonZeroUsize) -> Result<Self, GameFilesError> {
        let open = match library.entries().len() {
            1 => {
                let (story, name) = library.open(0)?;
                Some((0, GameScreen::new(story, name, threads)))
            }
            _ => None,
        };
        let list = GameList::new(library.entries());
        Ok(Self { library, threads, list, open, kept: Vec::new(), shows_stderr: false, failed: None })
    }

    /// The same browser, except that it shows what the bots wrote to stderr.
    #[must_use]
    pub(crate) fn with_stderr(mut self) -> Self {
        self.shows_stderr = true;
        self.read_stderr();
        self
    }

    /// Reads and shows the stderr of the bots in the open game.
    fn read_stderr(&mut self) {
        let Some((index, screen)) = &mut self.open else { return };
        let mut problems = Vec::new();
        match self.library.stderr(*index, |problem| problems.push(problem)) {
            Ok(Some(stderr)) => screen.show_stderr(stderr),
            Ok(None) => problems.push("the bots' stderr is not kept for games with more than two seats".to_owned()),
            Err(error) => problems.push(sanitised(&error.to_string())),
        }
        screen.tell(&problems.join("; "));
    }

    /// Shows the games until the person leaves. Returns the commands that the person wants to have printed.
    ///
    /// # Errors
    /// Fails if the terminal or a thread does.
    pub(crate) fn show(mut self, look: ScreenLook) -> io::Result<(Vec<String>, ScreenEnd)> {
        let end = shown_until_left(&mut self, look)?;
        self.close();
        Ok((self.kept, end))
    }

    /// Closes the open game, if there is one.
    fn close(&mut self) {
        if let Some((_, mut screen)) = self.open.take() {
            self.kept.extend(screen.take_kept());
        }
    }

    /// Opens the game `index`. If the game is not valid, the list shows why.
    fn open(&mut self, index: usize) {
        self.close();
        match self.library.open(index) {
            Ok((story, name)) => {
                self.open = Some((index, GameScreen::new(story, name, self.threads)));
                if self.shows_stderr {
                    self.read_stderr();
                }
            }
            Err(error) => self.list.message = sanitised(&error.to_string()),
        }
    }

    fn obey(&mut self, request: GameRequest, index: usize) -> Option<ScreenEnd> {
        match request {
            GameRequest::Quit => return Some(ScreenEnd::Left),
            GameRequest::Back if self.library.entries().len() > 1 => self.close(),
            GameRequest::Nothing | GameRequest::Back => {}
            GameRequest::Stderr => {
                self.shows_stderr = !self.open.as_mut().is_some_and(|(_, screen)| screen.hide_stderr());
                if self.shows_stderr {
                    self.read_stderr();
                }
            }
            GameRequest::OtherGame { is_next } => {
                if let Some(other) = self.list.other(index, is_next) {
                    self.open(other);
                }
            }
        }
        None
    }
}

impl ScreenView for GameBrowser {
    fn collect(&mut self) -> io::Result<bool> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        Ok(self.open.as_mut().is_some_and(|(_, screen)| screen.collect()))
    }

    fn draw(&self, look: ScreenLook, buffer: &mut Buffer) {
        match &self.open {
            Some((index, screen)) => screen.draw(look, buffer, &self.library.entries()[*index].id),
            None => self.list.draw(self.library.entries(), look, buffer),
        }
    }

    fn press(&mut self, key: KeyEvent) -> Option<ScreenEnd> {
        let Some((index, screen)) = &mut self.open else {
            return match self.list.press(key, self.library.entries(), PAGE) {
                ListRequest::Nothing => None,
                ListRequest::Open(index) => {
                    self.open(index);
                    None
                }
                ListRequest::Quit => Some(ScreenEnd::Left),
            };
        };
        let (index, request) = (*index, GameKey::of(key).map(|key| screen.obey(key)));
        match request {
            None => None,
            Some(Ok(request)) => self.obey(request, index),
            Some(Err(error)) => {
                self.failed = Some(error);
                None
            }
        }
    }
}
