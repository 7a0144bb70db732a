//! The list of games from which a person chooses one.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::style::{Color, Modifier, Style};

use super::library::LibraryEntry;
use crate::base::wrapping::columns_of;
use crate::practice::screen_text::{LEAST_SCREEN, ScreenLook, TextColumn, paragraph, put, wrapped};

/// What the keys do.
const KEYS: &str = "arrows choose  Enter opens  / filter  f forfeits  m mistakes  q quit";

/// The longest filter.
const LONGEST: usize = 40;

/// What the screen's owner must do after a key was pressed in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListRequest {
    Nothing,
    /// Open the game with this number in the library.
    Open(usize),
    Quit,
}

/// Which games are listed, and which one is chosen.
#[derive(Debug, Default)]
pub(super) struct GameList {
    filter: String,
    /// Whether the filter is being typed.
    is_typing: bool,
    only_forfeits: bool,
    only_mistakes: bool,
    /// The numbers that the listed games have in the library.
    listed: Vec<usize>,
    /// The place of the chosen game among the listed games.
    chosen: usize,
    pub(super) message: String,
}

impl GameList {
    /// A list of all `entries`.
    pub(super) fn new(entries: &[LibraryEntry]) -> Self {
        let mut list = Self::default();
        list.choose_listed(entries);
        list
    }

    /// Lists the games that pass the filters. The chosen game remains chosen if it is among them.
    fn choose_listed(&mut self, entries: &[LibraryEntry]) {
        let chosen = self.listed.get(self.chosen).copied();
        let wanted = self.filter.to_lowercase();
        let is_listed = |entry: &LibraryEntry| {
            let texts = [&entry.id, &entry.players, &entry.ending];
            texts.iter().any(|text| text.to_lowercase().contains(&wanted))
                && (!self.only_forfeits || entry.has_forfeit)
                && (!self.only_mistakes || entry.mistakes.is_some_and(|mistakes| mistakes > 0))
        };
        self.listed = (0..entries.len()).filter(|&index| is_listed(&entries[index])).collect();
        self.chosen =
            chosen.and_then(|chosen| self.listed.iter().position(|&index| index == chosen)).unwrap_or_default();
    }

    /// Obeys `key`.
    pub(super) fn press(&mut self, key: KeyEvent, entries: &[LibraryEntry], page: usize) -> ListRequest {
        self.message.clear();
        if self.is_typing && self.type_filter(key, entries) {
            return ListRequest::Nothing;
        }
        let last = self.listed.len().saturating_sub(1);
        match key.code {
            KeyCode::Down | KeyCode::Char('j') => self.chosen = (self.chosen + 1).min(last),
            KeyCode::Up | KeyCode::Char('k') => self.chosen = self.chosen.saturating_sub(1),
            KeyCode::PageDown => self.chosen = (self.chosen + page).min(last),
            KeyCode::PageUp => self.chosen = self.chosen.saturating_sub(page),
            KeyCode::Home => self.chosen = 0,
            KeyCode::End => self.chosen = last,
            KeyCode::Enter | KeyCode::Right | KeyCode::Char('l') => {
                return self.listed.get(self.chosen).map_or(ListRequest::Nothing, |&index| ListRequest::Open(index));
            }
            KeyCode::Char('/') => self.is_typing = true,
            KeyCode::Char('f') => {
                self.only_forfeits = !self.only_forfeits;
                self.choose_listed(entries);
            }
            KeyCode::Char('m') => {
                self.only_mistakes = !self.only_mistakes;
                self.choose_listed(entries);
                if self.listed.is_empty() && entries.iter().all(|entry| entry.mistakes.is_none()) {
                    "no game has been analyzed: run `gothello-arena analyze DIR`".clone_into(&mut self.message);
                }
            }
            KeyCode::Esc => {
                self.filter.clear();
                (self.only_forfeits, self.only_mistakes) = (false, false);
                self.choose_listed(entries);
            }
            KeyCode::Char('q') => return ListRequest::Quit,
            _ => {}
        }
        ListRequest::Nothing
    }

    /// Changes the filter according to `key`. Returns whether the key has a meaning while the filter is being typed.
    fn type_filter(&mut self, key: KeyEvent, entries: &[LibraryEntry]) -> bool {
        match key.code {
            KeyCode::Char(letter) if self.filter.chars().count() < LONGEST => self.filter.push(letter),
            KeyCode::Char(_) => {}
            KeyCode::Backspace => drop(self.filter.pop()),
            KeyCode::Enter => self.is_typing = false,
            KeyCode::Esc => {
                self.filter.clear();
                self.is_typing = false;
            }
            _ => return false,
        }
        self.choose_listed(entries);
        true
    }

    /// The number of the game before or after the game `index` in the list.
    pub(super) fn other(&mut self, index: usize, is_next: bool) -> Option<usize> {
        let place = self.listed.iter().position(|&listed| listed == index)?;
        let other = if is_next { place + 1 } else { place.checked_sub(1)? };
        let found = self.listed.get(other).copied()?;
        self.chosen = other;
        Some(found)
    }

    /// Draws the list on the whole of `buffer`.
    pub(super) fn draw(&self, entries: &[LibraryEntry], look: ScreenLook, buffer: &mut Buffer) {
        let (width, height) = (usize::from(buffer.area.width), usize::from(buffer.area.height));
        if width < usize::from(LEAST_SCREEN.0) || height < usize::from(LEAST_SCREEN.1) {
            let text = format!("too small: needs {}x{}, is {width}x{height}; q quits", LEAST_SCREEN.0, LEAST_SCREEN.1);
            paragraph(buffer, &text, TextColumn { x: 0, y: 0, width, height }, Style::default());
            return;
        }
        let bold = Style::default().add_modifier(Modifier::BOLD);
        put(buffer, 0, 0, &self.headline(entries.len()), bold);
        let keys = wrapped(KEYS, width);
        let foot = height - keys.len();
        for (line, y) in keys.iter().zip(foot..) {
            put(buffer, 0, y, line, look.colour(Color::Cyan));
        }
        let rows = rows_of(height, keys.len());
        let first = self.chosen.saturating_sub(rows / 2).min(self.listed.len().saturating_sub(rows));
        let shown: Vec<(usize, &LibraryEntry)> = self
            .listed
            .iter()
            .enumerate()
            .skip(first)
            .take(rows)
            .map(|(place, &index)| (place, &entries[index]))
            .collect();
        let widest = |text: fn(&LibraryEntry) -> &str| shown.iter().map(|(_, entry)| columns_of(text(entry))).max();
        let (ids, players) = (widest(|entry| &entry.id), widest(|entry| &entry.players));
        for ((place, entry), y) in shown.iter().zip(2..) {
            let mark = if *place == self.chosen { '>' } else { ' ' };
            let id = padded(&entry.id, ids.unwrap_or_default().min(width / 2));
            let players = padded(&entry.players, players.unwrap_or_default());
            let mistakes = entry.mistakes.map(|mistakes| format!(", {mistakes} mistakes")).unwrap_or_default();
            // Ids contain the players' names, so a narrow window shows the endings instead of the names.
            let players = if width < ids.unwrap_or_default() + columns_of(&players) + 40 {
                String::new()
            } else {
                players + "  "
            };
            let line = format!("{mark} {id}  {players}{}, {} plies{mistakes}", entry.ending, entry.plies);
            let style = if *place == self.chosen { bold } else { Style::default() };
            let style = if entry.has_forfeit { style.patch(look.colour(Color::Red)) } else { style };
            put(buffer, 0, y, &line, style);
        }
        put(buffer, 0, foot - 1, &self.message, look.colour(Color::Yellow));
    }

    /// The line above the list, such as `3 of 60 games, forfeits only, filter: greedy`.
    fn headline(&self, all: usize) -> String {
        let mut text = format!("{} of {all} games", self.listed.len());
        for (is_on, what) in [(self.only_forfeits, "forfeits only"), (self.only_mistakes, "mistakes only")] {
            if is_on {
                let _ = write!(text, ", {what}");
            }
        }
        if self.is_typing || !self.filter.is_empty() {
            let _ = write!(text, ", filter: {}{}", self.filter, if self.is_typing { "_" } else { "" });
        }
        text
    }
}

/// How many games fit on a screen of this height with `keys` lines of keys.
fn rows_of(height: usize, keys: usize) -> usize {
    // The headline, an empty line, and the message line.
    height.saturating_sub(keys + 3)
}

/// `text`, padded with spaces to `width` columns.
fn padded(text: &str, width: usize) -> String {
    text.to_owned() + &" ".repeat(width.saturating_sub(columns_of(text)))
}
