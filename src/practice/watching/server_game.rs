//! A game on a server, watched on the screen.

use std::io::{self, Write as _};
use std::net::TcpStream;
use std::num::NonZeroUsize;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::style::Style;

use super::WatchError;
use super::line_source::{LineSource, SourceNews, connect};
use super::observed_game::{ObservedGame, ObservedNews};
use crate::base::sanitise::sanitised;
use crate::base::time::{Instant, now};
use crate::practice::screen_loop::{ScreenEnd, ScreenView, shown_until_left};
use crate::practice::screen_text::{ScreenLook, put};
use crate::practice::viewer::{GameKey, GameRequest, GameScreen, GameStory};
use crate::referee::wire::EntityName;

/// The longest line that is read, and how many lines may wait.
const LONGEST: u64 = 4096;
const WAITING: usize = 64;

/// How much time the server has for its last lines after it has ended the game.
const LAST_LINES: Duration = Duration::from_secs(2);

/// A game on a server, followed as the server's lines arrive.
#[derive(Debug)]
pub(super) struct ServerSource {
    lines: LineSource,
    server: TcpStream,
    game: ObservedGame,
    /// The time by which the server must have sent its greeting or, once the game is over, its last line.
    until: Option<Instant>,
    is_closed: bool,
}

impl ServerSource {
    /// Connects to the server at this address, which must send its greeting within `patience`. `name` is the observer's
    /// name.
    ///
    /// # Errors
    /// Fails if there is no connection.
    pub(super) fn connect(
        (host, port): (&str, u16),
        name: Option<EntityName>,
        patience: Duration,
    ) -> Result<Self, WatchError> {
        let server = connect(host, port)?;
        let lines = LineSource::start(server.try_clone()?, LONGEST, WAITING)?;
        Ok(Self { lines, server, game: ObservedGame::new(name), until: Some(now() + patience), is_closed: false })
    }

    /// What is known about the game.
    pub(super) const fn story(&self) -> Option<&GameStory> {
        self.game.story()
    }

    /// The game, once a position has been received or nothing more will come.
    pub(super) fn shown_story(&self) -> Option<&GameStory> {
        self.game.story().filter(|_| self.game.is_shown() || self.is_closed)
    }

    /// Whether nothing more will come.
    pub(super) const fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Processes one line, if a line arrives within `time`. Returns whether the game has changed.
    ///
    /// # Errors
    /// Fails if the server sends no greeting in time, if it leaves before the game has ended, or if its lines make no
    /// sense.
    pub(super) fn take_within(&mut self, time: Duration) -> Result<bool, WatchError> {
        if self.is_closed {
            return Ok(false);
        }
        let news = match self.lines.next_within(time) {
            Some(SourceNews::Line(line)) => self.game.hear(&line)?,
            Some(SourceNews::TooLong) => self.game.miss(),
            Some(SourceNews::End(why)) => return self.end(why),
            None if self.until.is_none_or(|until| now() < until) => ObservedNews::Nothing,
            None if self.game.is_over() => return self.end(None),
            None => return Err(WatchError::Broken("the server sent no greeting".to_owned())),
        };
        if self.game.is_over() && self.until.is_none() {
            self.until = Some(now() + LAST_LINES);
        }
        if let ObservedNews::Greeted(hello) = &news {
            self.until = None;
            // If the server is gone, reading will show this.
            let _ = self.server.write_all(format!("{hello}\r").as_bytes());
        }
        Ok(news != ObservedNews::Nothing)
    }

    /// Ends the connection, which was closed or has failed for this reason.
    fn end(&mut self, why: Option<String>) -> Result<bool, WatchError> {
        self.is_closed = true;
        self.game.close();
        if self.game.is_over() {
            return Ok(true);
        }
        let why = why.map(|why| format!(" ({})", sanitised(&why))).unwrap_or_default();
        Err(WatchError::Broken(format!("the server closed the connection before the end of the game{why}")))
    }

    /// Whether the last line has been taken, so that nothing more is waiting.
    pub(super) const fn has_waited(&self) -> bool {
        self.lines.has_waited()
    }
}

/// A game on a server, shown on the screen.
#[derive(Debug)]
pub(crate) struct ServerWatch {
    source: ServerSource,
    address: String,
    /// The number of the solver's threads.
    threads: NonZeroUsize,
    /// The game, once the server has sent its greeting.
    screen: Option<GameScreen>,
    failed: Option<WatchError>,
    unstarted: Option<io::Error>,
}

impl ServerWatch {
    /// Connects to the server at this address, which must send its greeting within `patience`. `name` is the observer's
    /// name. Positions are solved by `threads` threads.
    ///
    /// # Errors
    /// Fails if there is no connection.
    pub(crate) fn connect(
        (host, port): (&str, u16),
        name: Option<EntityName>,
        patience: Duration,
        threads: NonZeroUsize,
    ) -> Result<Self, WatchError> {
        let source = ServerSource::connect((host, port), name, patience)?;
        let address = sanitised(&format!("{host}:{port}"));
        Ok(Self { source, address, threads, screen: None, failed: None, unstarted: None })
    }

    /// Shows the game until the person leaves. Returns the commands that the person wants to have printed.
    ///
    /// # Errors
    /// Fails if the terminal or a thread does, or if the game cannot be followed to its end.
    pub(crate) fn show(mut self, look: ScreenLook) -> Result<(Vec<String>, ScreenEnd), WatchError> {
        let shown = shown_until_left(&mut self, look);
        match self.failed {
            Some(error) => Err(error),
            None => Ok((self.screen.map(|mut screen| screen.take_kept()).unwrap_or_default(), shown?)),
        }
    }

    /// Processes all lines that have arrived. Returns whether the game has changed.
    fn take_all(&mut self) -> Result<bool, WatchError> {
        let mut has_news = false;
        loop {
            has_news |= self.source.take_within(Duration::ZERO)?;
            if self.source.is_closed() || self.source.has_waited() {
                return Ok(has_news);
            }
        }
    }
}

impl ScreenView for ServerWatch {
    fn collect(&mut self) -> io::Result<bool> {
        if let Some(error) = self.unstarted.take() {
            return Err(error);
        }
        let has_news = match self.take_all() {
            Ok(has_news) => has_news,
            Err(error) => {
                let text = error.to_string();
                self.failed = Some(error);
                return Err(io::Error::other(text));
            }
        };
        if let Some(story) = self.source.story().filter(|_| has_news) {
            let story = story.clone();
            match &mut self.screen {
                Some(screen) => screen.change(|shown| *shown = story),
                None => self.screen = Some(GameScreen::new(story, None, self.threads).following()),
            }
        }
        Ok(self.screen.as_mut().is_some_and(GameScreen::collect) | has_news)
    }

    fn draw(&self, look: ScreenLook, buffer: &mut Buffer) {
        match &self.screen {
            Some(screen) => {
                let end = if self.source.is_closed() { ": the game is over" } else { "" };
                screen.draw(look, buffer, &format!("{}{end}", self.address));
            }
            None => {
                let text = format!("waiting for a greeting from {}; q quits", self.address);
                put(buffer, 0, 0, &text, Style::default());
            }
        }
    }

    fn press(&mut self, key: KeyEvent) -> Option<ScreenEnd> {
        let Some(screen) = &mut self.screen else {
            return (key.code == KeyCode::Char('q')).then_some(ScreenEnd::Left);
        };
        match GameKey::of(key).map(|key| screen.obey(key)) {
            Some(Ok(GameRequest::Quit)) => Some(ScreenEnd::Left),
            Some(Err(error)) => {
                self.unstarted = Some(error);
                None
            }
            Some(Ok(GameRequest::Stderr)) => {
                screen.tell("the bots' stderr is available only for recorded games");
                None
            }
            Some(Ok(GameRequest::Nothing | GameRequest::Back | GameRequest::OtherGame { .. })) | None => None,
        }
    }
}
