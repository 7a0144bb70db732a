//! The field that a person has marked on the board of a screen, and what the person has typed so far.

use ratatui::crossterm::event::KeyCode;

use crate::practice::shown_board::ShownBoard;

/// The marked field and the typed text.
#[derive(Clone, Debug)]
pub(super) struct BoardInput {
    /// The row from the top and the file of the marked field.
    pub(super) cursor: (usize, usize),
    /// What has been typed.
    pub(super) typed: String,
    /// The maximum number of characters that can be typed.
    longest: usize,
}

/// The meaning of a key on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BoardKey {
    /// Nothing more: the key has changed only the input.
    Taken,
    /// The person has finished typing this text.
    Typed(String),
    /// The person chooses the field with this name.
    Field(String),
    /// A character, which has not been added to the typed text yet.
    Letter(char),
    /// A key without a meaning on a board.
    Other,
}

impl BoardInput {
    /// An empty input that accepts at most `longest` characters. The marked field is at `cursor`, its row and file.
    pub(super) const fn new(cursor: (usize, usize), longest: usize) -> Self {
        Self { cursor, typed: String::new(), longest }
    }

    /// Processes the key `code` on `board`.
    pub(super) fn press(&mut self, code: KeyCode, board: &ShownBoard) -> BoardKey {
        let (row, file) = self.cursor;
        match code {
            KeyCode::Up => self.cursor.0 = row.saturating_sub(1),
            KeyCode::Down => self.cursor.0 = (row + 1).min(board.ranks().saturating_sub(1)),
            KeyCode::Left => self.cursor.1 = file.saturating_sub(1),
            KeyCode::Right => self.cursor.1 = (file + 1).min(board.files().saturating_sub(1)),
            KeyCode::Esc => self.typed.clear(),
            KeyCode::Backspace => drop(self.typed.pop()),
            KeyCode::Enter if !self.typed.is_empty() => return BoardKey::Typed(std::mem::take(&mut self.typed)),
            KeyCode::Enter | KeyCode::Char(' ') => return BoardKey::Field(board.name(row, file)),
            KeyCode::Char(letter) => return BoardKey::Letter(letter),
            _ => return BoardKey::Other,
        }
        BoardKey::Taken
    }

    /// Adds `letter` to the typed text, if a move may contain it and there is room.
    pub(super) fn push(&mut self, letter: char) {
        if letter.is_ascii_graphic() && self.typed.len() < self.longest {
            self.typed.push(letter.to_ascii_lowercase());
        }
    }
}
