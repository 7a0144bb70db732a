//! Moodle's grading worksheet, with grades filled in and everything else unchanged.
//!
//! Moodle's import (`mod/assign/feedback/offline`, as documented in "Assignment: offline grading worksheet") finds
//! columns by their localized headers, takes the number at the end of the identifier as the participant, silently skips
//! rows whose grade is empty or above the maximum, and rejects rows that are shorter or longer than the header. A
//! worksheet is therefore never generated from scratch: the teacher's own file is copied byte for byte, except for the
//! cells of two columns.

mod cells;
mod column_search;
mod columns;
mod headers;
mod problems;
mod sheet_text;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::course::handout::number_text::{is_same_grade, padded, short};
use crate::course::roster::is_folder_of_team;
use cells::{SheetCell, SheetRow, SheetRows, cell_text, spelled};
use sheet_text::{CellEdit, SheetText};

pub use columns::{BadColumnNumbers, ColumnNumbers, SheetColumn};
pub use problems::{WorksheetProblem, WorksheetWarning};

/// The beginning of every comment that [`Worksheet::filled`] writes. A comment that begins with it may be replaced with
/// a newer comment.
pub const COMMENT_START: &str = "gothello-arena:";

/// The signatures of spreadsheet programs' files, which are ZIP archives or, formerly, compound documents.
const SPREADSHEETS: [&[u8]; 2] = [b"PK\x03\x04", b"\xd0\xcf\x11\xe0"];

/// A worksheet that was read and checked.
#[derive(Clone, Debug)]
pub struct Worksheet {
    text: SheetText,
    separator: u8,
    /// The index of each column, from 0.
    places: BTreeMap<SheetColumn, usize>,
    /// One row for each participant, in the order of the file.
    rows: Vec<ParticipantRow>,
    /// The highest grade.
    maximum: f64,
    numbers: NumberStyle,
}

#[derive(Clone, Debug)]
struct ParticipantRow {
    participant: u64,
    row: SheetRow,
}

/// The format of numbers in a worksheet.
#[derive(Clone, Copy, Debug, Default)]
struct NumberStyle {
    has_comma: bool,
    decimals: usize,
}

/// A participant in a worksheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetParticipant {
    /// The number at the end of the identifier.
    pub participant: u64,
    /// The full name, which is hostile text; empty if there is no such column.
    pub name: String,
}

/// The values for the row of a participant.
#[derive(Clone, Debug, PartialEq)]
pub struct SheetMark {
    /// The player, for messages.
    pub player: String,
    /// The participant.
    pub participant: u64,
    /// The points; `None` leaves the row unchanged.
    pub points: Option<f64>,
    /// The comment on the points, in one line.
    pub comment: String,
}

/// The values that determine how a rubric's points are converted to the grades of a worksheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetTotals {
    /// The rubric's total.
    pub total: f64,
    /// The points of the rubric's bonus items.
    pub bonus: f64,
    /// The conversion of points to grades.
    pub fit: GradeFit,
}

/// The conversion of points to grades of a worksheet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GradeFit {
    /// Whether to scale points so that the total becomes the highest grade.
    pub is_scaled: bool,
    /// Whether grades above the highest grade are reduced to the highest grade. Otherwise, their rows stay unchanged.
    pub is_capped: bool,
}

/// A filled worksheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilledWorksheet {
    /// The contents of the file.
    pub bytes: Vec<u8>,
    /// Warnings for the teacher.
    pub warnings: Vec<WorksheetWarning>,
}

impl Worksheet {
    /// Reads a worksheet. A column whose number is not in `numbers` is found by its header in any known language of
    /// Moodle, or by its cells.
    ///
    /// # Errors
    /// Returns everything that would prevent Moodle or the arena from understanding the file.
    pub fn read(bytes: &[u8], numbers: &ColumnNumbers) -> Result<Self, Vec<WorksheetProblem>> {
        if SPREADSHEETS.iter().any(|start| bytes.starts_with(start)) {
            return Err(vec![WorksheetProblem::NoCsv]);
        }
        let SheetTable { text, separator, headers, rows: lines, places } =
            SheetTable::read(bytes, numbers, &SheetColumn::REQUIRED)?;
        let mut reading = RowReading {
            text: &text,
            places: &places,
            lines: BTreeMap::new(),
            maximum: None,
            numbers: NumberStyle::default(),
            problems: Vec::new(),
        };
        let mut rows = Vec::with_capacity(lines.len());
        for row in &lines {
            let (line, found, expected) = (row.line, row.cells.len(), headers.len());
            if found == expected {
                rows.extend(reading.row(row));
            } else {
                reading.problems.push(WorksheetProblem::Uneven { line, found, expected });
            }
        }
        let RowReading { maximum, numbers, problems, .. } = reading;
        if !problems.is_empty() {
            return Err(problems);
        }
        // Without rows, there is nothing to fill in, whatever the highest grade is.
        Ok(Self { separator, rows, maximum: maximum.unwrap_or_default(), numbers, places, text })
    }

    /// The participants of the team whose folder is called `folder`, in the order of the file; empty if the file has no
    /// column for groups.
    pub fn members_of(&self, folder: &str) -> Vec<SheetParticipant> {
        let group = |row: &ParticipantRow| self.text_at(row, SheetColumn::Group);
        let is_member = |row: &&ParticipantRow| group(row).is_some_and(|group| is_folder_of_team(folder, &group));
        let member = |row: &ParticipantRow| SheetParticipant {
            participant: row.participant,
            name: self.text_at(row, SheetColumn::Name).unwrap_or_default(),
        };
        self.rows.iter().filter(is_member).map(member).collect()
    }

    /// Whether `participant` has a row.
    pub fn has_row(&self, participant: u64) -> bool {
        self.rows.iter().any(|row| row.participant == participant)
    }

    /// Whether the worksheet says which group each participant belongs to.
    pub fn has_groups(&self) -> bool {
        self.places.contains_key(&SheetColumn::Group)
    }

    fn text_at(&self, row: &ParticipantRow, column: SheetColumn) -> Option<String> {
        let &place = self.places.get(&column)?;
        Some(cell_text(&self.text, &row.row.cells[place]).trim().to_owned())
    }

    /// Fills `marks` into the file. Only cells with grades change, and cells with comments if they are empty or contain
    /// a comment that was filled in before; every other byte stays unchanged.
    ///
    /// # Errors
    /// Returns an error if the rubric's total does not fit the highest grade, or if no student has a row.
    pub fn filled(&self, marks: &[SheetMark], totals: SheetTotals) -> Result<FilledWorksheet, Vec<WorksheetProblem>> {
        let factor = self.factor(totals).map_err(|problem| vec![problem])?;
        let rows: BTreeMap<u64, &ParticipantRow> = self.rows.iter().map(|row| (row.participant, row)).collect();
        let (mut warnings, mut edits) = (Vec::new(), Vec::new());
        for mark in marks {
            let (player, participant) = (mark.player.clone(), mark.participant);
            let Some(row) = rows.get(&participant) else {
                warnings.push(WorksheetWarning::NoRow { player, participant });
                continue;
            };
            let Some(points) = mark.points else {
                warnings.push(WorksheetWarning::NoGrade { player });
                continue;
            };
            let (mut grade, line, maximum) = (points * factor, row.row.line, self.maximum);
            if grade > maximum && !is_same_grade(grade, maximum) {
                if !totals.fit.is_capped {
                    warnings.push(WorksheetWarning::AboveMaximum {
                        line,
                        player,
                        grade: short(grade),
                        maximum: short(maximum),
                    });
                    continue;
                }
                grade = maximum;
            }
            edits.push(self.edit(row, self.places[&SheetColumn::Grade], &self.number(grade)));
            match self.comment_edit(row, &mark.comment) {
                Ok(edit) => edits.extend(edit),
                Err(()) => warnings.push(WorksheetWarning::CommentKept { line, player }),
            }
        }
        if !marks.is_empty() && marks.iter().all(|mark| !rows.contains_key(&mark.participant)) {
            return Err(vec![WorksheetProblem::OtherClass { students: marks.len() }]);
        }
        edits.sort_by_key(|edit| edit.units.start);
        Ok(FilledWorksheet { bytes: self.text.edited(&edits), warnings })
    }

    /// Checks that points of a rubric with `totals` can be grades of this worksheet.
    ///
    /// # Errors
    /// Returns an error if the highest grade is neither the rubric's total nor its total with all bonus points, and
    /// points are not scaled.
    pub fn check_totals(&self, totals: SheetTotals) -> Result<(), WorksheetProblem> {
        self.factor(totals).map(drop)
    }

    /// The highest grade, if bonus points can raise a student's grade above it.
    pub fn surpassable(&self, totals: SheetTotals) -> Option<String> {
        let most = (totals.total + totals.bonus) * self.factor(totals).ok()?;
        (!totals.fit.is_capped && most > self.maximum && !is_same_grade(most, self.maximum))
            .then(|| short(self.maximum))
    }

    /// The factor that converts points to grades.
    fn factor(&self, totals: SheetTotals) -> Result<f64, WorksheetProblem> {
        let SheetTotals { total, bonus, fit: GradeFit { is_scaled, .. } } = totals;
        if is_same_grade(self.maximum, total) || (!is_scaled && is_same_grade(self.maximum, total + bonus)) {
            return Ok(1.0);
        }
        if is_scaled && total > 0.0 {
            return Ok(self.maximum / total);
        }
        Err(WorksheetProblem::OtherTotal { maximum: self.maximum, total, bonus })
    }

    /// `grade` in the number format of this worksheet.
    fn number(&self, grade: f64) -> String {
        let text = padded(grade, self.numbers.decimals);
        if self.numbers.has_comma { text.replace('.', ",") } else { text }
    }

    fn edit(&self, row: &ParticipantRow, place: usize, new: &str) -> CellEdit {
        let cell: &SheetCell = &row.row.cells[place];
        CellEdit { units: cell.units.clone(), text: spelled(new, cell, self.separator) }
    }

    /// The edit that puts `comment` into `row`; `None` if there is no column for comments. Fails if the row has a
    /// comment that the arena did not write.
    fn comment_edit(&self, row: &ParticipantRow, comment: &str) -> Result<Option<CellEdit>, ()> {
        let Some(&place) = self.places.get(&SheetColumn::Feedback) else { return Ok(None) };
        let old = cell_text(&self.text, &row.row.cells[place]);
        if !old.trim().is_empty() && !old.contains(COMMENT_START) {
            return Err(());
        }
        Ok(Some(self.edit(row, place, &format!("{COMMENT_START} {}", harmless(comment)))))
    }
}

/// `text` as one line of ASCII without anything that HTML, a spreadsheet or CSV would interpret, since Moodle shows
/// comments as HTML.
fn harmless(text: &str) -> String {
    const KEPT: &str = " .,;:/()%+-_?!#";
    let kept = |letter: char| if letter.is_ascii_alphanumeric() || KEPT.contains(letter) { letter } else { '?' };
    text.chars().map(kept).collect()
}

/// A worksheet whose columns have been found.
struct SheetTable {
    text: SheetText,
    separator: u8,
    headers: Vec<String>,
    /// The rows below the header.
    rows: Vec<SheetRow>,
    places: BTreeMap<SheetColumn, usize>,
}

impl SheetTable {
    fn read(bytes: &[u8], numbers: &ColumnNumbers, required: &[SheetColumn]) -> Result<Self, Vec<WorksheetProblem>> {
        let text = SheetText::read(bytes).ok_or_else(|| vec![WorksheetProblem::HalfCharacter])?;
        let SheetRows { separator, rows } = SheetRows::of(&text).map_err(|problem| vec![problem])?;
        let texts = |row: &SheetRow| -> Vec<String> {
            row.cells.iter().map(|cell| cell_text(&text, cell).trim().to_owned()).collect()
        };
        let (header, lines) = rows.split_first().ok_or_else(|| vec![WorksheetProblem::Empty])?;
        let headers = texts(header);
        let cells: Vec<Vec<String>> = lines.iter().map(texts).collect();
        let places = column_search::places(&headers, &cells, numbers, required)?;
        let rows = lines.to_vec();
        Ok(Self { text, separator, headers, rows, places })
    }
}

/// A row of a worksheet that is read as the class list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedRow {
    /// The number at the end of the identifier.
    pub participant: String,
    /// The full name; empty if there is no such column.
    pub name: String,
    /// The address, if there is any.
    pub email: Option<String>,
    /// The group, if there is any.
    pub group: Option<String>,
    /// Whether the submission was late, according to its status.
    pub is_late: bool,
}

/// All participants in the worksheet `bytes`, even if it has no columns for grades. Rows without a participant's number
/// are skipped.
///
/// # Errors
/// Returns an error if the file is not CSV, is truncated, or has no column for participants.
pub fn listed_rows(bytes: &[u8]) -> Result<Vec<ListedRow>, Vec<WorksheetProblem>> {
    if SPREADSHEETS.iter().any(|start| bytes.starts_with(start)) {
        return Err(vec![WorksheetProblem::NoCsv]);
    }
    let table = SheetTable::read(bytes, &ColumnNumbers::default(), &[SheetColumn::Id])?;
    let listed = table.rows.iter().filter_map(|row| {
        let cell = |column: SheetColumn| -> String {
            let cell = table.places.get(&column).and_then(|place| row.cells.get(*place));
            cell.map(|cell| cell_text(&table.text, cell).trim().to_owned()).unwrap_or_default()
        };
        let filled = |column: SheetColumn| Some(cell(column)).filter(|text| !text.is_empty());
        Some(ListedRow {
            participant: number_at_end(&cell(SheetColumn::Id))?.to_string(),
            name: cell(SheetColumn::Name),
            email: filled(SheetColumn::Email),
            group: filled(SheetColumn::Group),
            is_late: headers::is_late(&cell(SheetColumn::Status)),
        })
    });
    Ok(listed.collect())
}

/// The values found in the rows so far.
struct RowReading<'t> {
    text: &'t SheetText,
    places: &'t BTreeMap<SheetColumn, usize>,
    /// The line of each participant.
    lines: BTreeMap<u64, usize>,
    maximum: Option<f64>,
    numbers: NumberStyle,
    problems: Vec<WorksheetProblem>,
}

impl RowReading<'_> {
    /// Reads a row that is as long as the header.
    fn row(&mut self, row: &SheetRow) -> Option<ParticipantRow> {
        let line = row.line;
        self.check_maximum(row);
        let place = self.places[&SheetColumn::Id];
        let found = cell_text(self.text, &row.cells[place]);
        let Some(participant) = number_at_end(&found) else {
            self.problems.push(WorksheetProblem::NoParticipant { line, column: place + 1, found });
            return None;
        };
        if let Some(&first) = self.lines.get(&participant) {
            self.problems.push(WorksheetProblem::Twice { line, first, participant });
            return None;
        }
        self.lines.insert(participant, line);
        Some(ParticipantRow { participant, row: row.clone() })
    }

    /// Compares the highest grade of `row` with that in the rows above it. The first row determines how numbers are
    /// formatted.
    fn check_maximum(&mut self, row: &SheetRow) {
        let (line, place) = (row.line, self.places[&SheetColumn::Max]);
        let found = cell_text(self.text, &row.cells[place]);
        match (parsed(found.trim()), self.maximum) {
            (None, _) => self.problems.push(WorksheetProblem::BadMaximum { line, column: place + 1, found }),
            (Some((found, _)), Some(expected)) if !is_same_grade(found, expected) => {
                self.problems.push(WorksheetProblem::MaximaDiffer { line, found, expected });
            }
            (Some(_), Some(_)) => {}
            (Some((maximum, numbers)), None) => (self.maximum, self.numbers) = (Some(maximum), numbers),
        }
    }
}

/// The number at the end of `Participant 4711`.
fn number_at_end(identifier: &str) -> Option<u64> {
    let identifier = identifier.trim();
    let words = identifier.trim_end_matches(|letter: char| letter.is_ascii_digit());
    identifier[words.len()..].parse().ok()
}

/// A number as formatted in a worksheet, with a point or a comma before its decimals.
fn parsed(text: &str) -> Option<(f64, NumberStyle)> {
    let (whole, decimals) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let are_digits = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    if whole.is_empty() || !are_digits(whole) || !are_digits(decimals) {
        return None;
    }
    let number: f64 = format!("{whole}.{decimals}0").parse().ok()?;
    Some((number, NumberStyle { has_comma: text.contains(','), decimals: decimals.len() }))
}
