//! A live page that is watched on the screen.

use std::io::{self, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::heard_page::{HeardRun, PageNews};
use super::line_source::{LineSource, SourceNews, connect};
use super::{WatchError, page_picture};
use crate::base::sanitise::sanitised;
use crate::base::time::{Instant, now};
use crate::practice::screen_loop::{ScreenEnd, ScreenView, shown_until_left};
use crate::practice::screen_text::ScreenLook;

/// The maximum length of a line: far more than the state of the largest run needs. One such line may wait.
const LONGEST: u64 = 16 << 20;

/// The events of a page as they arrive.
#[derive(Debug)]
pub(super) struct PageSource {
    lines: LineSource,
    /// Whether the answer has begun as expected, and whether the page has sent its state.
    is_answered: bool,
    has_state: bool,
    /// The kind of the event whose data come next.
    event: String,
    /// The time by which the page must have sent its state.
    answer_by: Instant,
    pub(super) run: HeardRun,
}

impl PageSource {
    /// Asks the page at this address for its events. The page must send the first one within `patience`.
    ///
    /// # Errors
    /// Fails if there is no connection.
    pub(super) fn open(host: &str, port: u16, path: &str, patience: Duration) -> Result<Self, WatchError> {
        let mut stream: TcpStream = connect(host, port)?;
        let named = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        // In HTTP 1.0, the answer is not chunked.
        let request = format!("GET {path}events HTTP/1.0\r\nHost: {named}:{port}\r\nAccept: text/event-stream\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        Ok(Self {
            lines: LineSource::start(stream, LONGEST, 1)?,
            is_answered: false,
            has_state: false,
            event: String::new(),
            answer_by: now() + patience,
            run: HeardRun::default(),
        })
    }

    /// The page's next report, if it arrives within `time`.
    ///
    /// # Errors
    /// Fails if this is not a live page, if it sends nothing in time, or if it ends before the run does.
    pub(super) fn next_within(&mut self, time: Duration) -> Result<Option<PageNews>, WatchError> {
        let broken = |text: String| Err(WatchError::Broken(text));
        match self.lines.next_within(time) {
            None if !self.has_state && now() >= self.answer_by => broken("the page sent nothing".to_owned()),
            None => Ok(None),
            Some(SourceNews::TooLong) => broken("the page sent more than any run can contain".to_owned()),
            Some(SourceNews::End(_)) if self.run.is_over => Ok(None),
            Some(SourceNews::End(why)) => {
                let why = why.map(|why| format!(" ({})", sanitised(&why))).unwrap_or_default();
                broken(format!("the page closed before the run ended{why}"))
            }
            Some(SourceNews::Line(line)) => self.hear(&line),
        }
    }

    fn hear(&mut self, line: &str) -> Result<Option<PageNews>, WatchError> {
        if !self.is_answered {
            let status = line.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..)).unwrap_or_default();
            if !status.starts_with("200") {
                let line: String = line.chars().take(200).collect();
                let hint = if status.starts_with("404") { "; open a ladder's page in a browser" } else { "" };
                return Err(WatchError::Broken(format!("the page answered `{}`{hint}", sanitised(&line))));
            }
            self.is_answered = true;
            return Ok(None);
        }
        if let Some(event) = line.strip_prefix("event: ") {
            event.clone_into(&mut self.event);
            return Ok(None);
        }
        let Some(data) = line.strip_prefix("data: ") else { return Ok(None) };
        match self.event.as_str() {
            "state" => {
                self.has_state = true;
                self.run.begin(data).map(Some)
            }
            "frame" => self.run.go_on(data).map(Some),
            "end" => {
                self.run.end();
                Ok(Some(PageNews::default()))
            }
            _ => Ok(None),
        }
    }
}

/// A live page on the screen.
#[derive(Debug)]
pub(crate) struct LivePageWatch {
    source: PageSource,
    /// The place of the game that is shown.
    slot: usize,
    failed: Option<WatchError>,
}

impl LivePageWatch {
    /// Opens the page at this address, which must send its first event within `patience`.
    ///
    /// # Errors
    /// Fails if there is no connection.
    pub(crate) fn open(host: &str, port: u16, path: &str, patience: Duration) -> Result<Self, WatchError> {
        Ok(Self { source: PageSource::open(host, port, path, patience)?, slot: 0, failed: None })
    }

    /// Shows the page until the person leaves.
    ///
    /// # Errors
    /// Fails if the terminal does, or if the page is broken.
    pub(crate) fn show(mut self, look: ScreenLook) -> Result<ScreenEnd, WatchError> {
        let shown = shown_until_left(&mut self, look);
        match self.failed {
            Some(error) => Err(error),
            None => Ok(shown?),
        }
    }

    /// Shows the game before or after the shown one.
    fn turn(&mut self, is_next: bool) {
        let mut slots = self.source.run.games.keys().copied();
        let other =
            if is_next { slots.find(|&slot| slot > self.slot) } else { slots.rev().find(|&slot| slot < self.slot) };
        self.slot = other.unwrap_or(self.slot);
    }
}

impl ScreenView for LivePageWatch {
    fn collect(&mut self) -> io::Result<bool> {
        let mut has_news = false;
        loop {
            match self.source.next_within(Duration::ZERO) {
                Ok(Some(_)) => has_news = true,
                // A line without news may be followed by others.
                Ok(None) if !self.source.lines.has_waited() => {}
                Ok(None) => break,
                Err(error) => {
                    let text = error.to_string();
                    self.failed = Some(error);
                    return Err(io::Error::other(text));
                }
            }
        }
        if !self.source.run.games.contains_key(&self.slot)
            && let Some(&first) = self.source.run.games.keys().next()
        {
            self.slot = first;
        }
        Ok(has_news)
    }

    fn draw(&self, look: ScreenLook, buffer: &mut Buffer) {
        page_picture::draw(&self.source.run, self.slot, look, buffer);
    }

    fn press(&mut self, key: KeyEvent) -> Option<ScreenEnd> {
        match key.code {
            KeyCode::Char('q') => return Some(ScreenEnd::Left),
            KeyCode::Right | KeyCode::Down | KeyCode::Char('j' | 'l' | ']') => self.turn(true),
            KeyCode::Left | KeyCode::Up | KeyCode::Char('k' | 'h' | '[') => self.turn(false),
            _ => {}
        }
        None
    }
}
