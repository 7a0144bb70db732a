//! The cells of a worksheet, and their positions in the file.

use std::ops::Range;

use super::problems::WorksheetProblem;
use super::sheet_text::SheetText;

/// The possible separators between cells, which are those that Moodle's import offers.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b':'];

/// The place of a cell in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SheetCell {
    /// The cell's units, including quotes.
    pub(super) units: Range<usize>,
    /// Whether the cell is quoted.
    pub(super) is_quoted: bool,
}

/// A row of cells.
#[derive(Clone, Debug)]
pub(super) struct SheetRow {
    /// The line of the file in which the row begins, from 1.
    pub(super) line: usize,
    pub(super) cells: Vec<SheetCell>,
}

/// The rows of a file.
#[derive(Clone, Debug)]
pub(super) struct SheetRows {
    pub(super) separator: u8,
    /// The first row is the header. Blank lines are left out.
    pub(super) rows: Vec<SheetRow>,
}

impl SheetRows {
    /// Finds the rows of `text`. The separator that splits the header into the most cells is used.
    ///
    /// # Errors
    /// Returns an error if a quoted cell is not closed.
    pub(super) fn of(text: &SheetText) -> Result<Self, WorksheetProblem> {
        let header_cells = |separator: u8| {
            let mut scan = Scan { text, separator, at: text.body().start, line: 1 };
            scan.row().map_or(0, |row| row.cells.len())
        };
        let counted = SEPARATORS.into_iter().map(|separator| (header_cells(separator), separator));
        // Among equally good separators, the first one wins.
        let best = counted.rev().max_by_key(|&(cells, _)| cells);
        let separator = best.map_or(b',', |(_, separator)| separator);
        let mut scan = Scan { text, separator, at: text.body().start, line: 1 };
        let mut rows = Vec::new();
        while scan.at < text.body().end {
            let row = scan.row()?;
            let is_blank = matches!(&row.cells[..], [cell] if cell.units.is_empty());
            rows.extend((!is_blank).then_some(row));
        }
        Ok(Self { separator, rows })
    }
}

/// A position in the text.
struct Scan<'t> {
    text: &'t SheetText,
    separator: u8,
    at: usize,
    line: usize,
}

impl Scan<'_> {
    /// Reads a row and the end of its line: a line feed, a carriage return, or both.
    fn row(&mut self) -> Result<SheetRow, WorksheetProblem> {
        let line = self.line;
        let mut cells = Vec::new();
        loop {
            cells.push(self.cell()?);
            match self.text.ascii(self.at) {
                Some(unit) if unit == self.separator => self.at += 1,
                Some(b'\r' | b'\n') => {
                    let pair = [self.text.ascii(self.at), self.text.ascii(self.at + 1)];
                    self.at += if pair == [Some(b'\r'), Some(b'\n')] { 2 } else { 1 };
                    self.line += 1;
                    break;
                }
                _ => break,
            }
        }
        Ok(SheetRow { line, cells })
    }

    /// Reads a cell up to the separator, the end of the line or the end of the text.
    fn cell(&mut self) -> Result<SheetCell, WorksheetProblem> {
        let (start, line) = (self.at, self.line);
        let is_quoted = self.text.ascii(start) == Some(b'"');
        if is_quoted {
            self.at += 1;
            self.quoted_part().ok_or(WorksheetProblem::OpenQuote { line })?;
        }
        // PHP treats the text after the closing quote as part of the cell.
        while self.at < self.text.body().end && !self.is_at_end_of_cell() {
            self.at += 1;
        }
        Ok(SheetCell { units: start..self.at, is_quoted })
    }

    /// Moves past the closing quote of the cell; returns `None` if there is none.
    fn quoted_part(&mut self) -> Option<()> {
        while self.at < self.text.body().end {
            let unit = self.text.ascii(self.at);
            self.at += 1;
            match unit {
                Some(b'"') if self.text.ascii(self.at) == Some(b'"') => self.at += 1,
                Some(b'"') => return Some(()),
                Some(b'\n') => self.line += 1,
                _ => {}
            }
        }
        None
    }

    fn is_at_end_of_cell(&self) -> bool {
        self.text.ascii(self.at).is_some_and(|unit| unit == self.separator || unit == b'\r' || unit == b'\n')
    }
}

/// The text of `cell` without its quotes.
pub(super) fn cell_text(text: &SheetText, cell: &SheetCell) -> String {
    let raw = text.decoded(cell.units.clone());
    match raw.strip_prefix('"') {
        Some(inner) if cell.is_quoted => {
            let (quoted, rest) = inner.rsplit_once('"').unwrap_or((inner, ""));
            quoted.replace("\"\"", "\"") + rest
        }
        _ => raw,
    }
}

/// Formats `new`, which is ASCII, as a replacement for the cell `old`: in quotes if the old cell has them or if the new
/// text needs them.
pub(super) fn spelled(new: &str, old: &SheetCell, separator: u8) -> String {
    let needs_quotes = |unit: u8| unit == separator || matches!(unit, b'"' | b'\r' | b'\n' | b' ' | b'\t');
    if old.is_quoted || new.bytes().any(needs_quotes) {
        format!("\"{}\"", new.replace('"', "\"\""))
    } else {
        new.to_owned()
    }
}
