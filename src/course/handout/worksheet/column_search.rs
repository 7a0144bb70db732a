//! Finds the columns of a worksheet by the words of their headers, or else by the form of their cells.

use std::collections::BTreeMap;

use super::columns::{ColumnNumbers, SheetColumn};
use super::headers::{is_header_of, is_scale};
use super::problems::WorksheetProblem;
use super::{number_at_end, parsed};

/// Finds the index of each column, from 0. The columns in `required` must exist. `cells` are the rows below the header.
///
/// # Errors
/// Returns each required column that is missing, and each number beyond the last column.
pub(super) fn places(
    headers: &[String],
    cells: &[Vec<String>],
    numbers: &ColumnNumbers,
    required: &[SheetColumn],
) -> Result<BTreeMap<SheetColumn, usize>, Vec<WorksheetProblem>> {
    let mut problems = Vec::new();
    let mut places = BTreeMap::new();
    for column in SheetColumn::ALL {
        match numbers.of(column) {
            Some(number) if number > headers.len() => {
                problems.push(WorksheetProblem::NumberTooHigh { column, number, columns: headers.len() });
            }
            Some(number) => drop(places.insert(column, number - 1)),
            None => {
                let taken: Vec<usize> = places.values().copied().collect();
                let mut named = (0..headers.len()).filter(|place| !taken.contains(place));
                if let Some(place) = named.find(|place| is_header_of(column, &headers[*place])) {
                    places.insert(column, place);
                }
            }
        }
    }
    let look = CellLook { columns: headers.len(), cells };
    let has_scale = headers.iter().any(|header| is_scale(header));
    look.find(&mut places, has_scale);
    for &column in required.iter().filter(|column| !places.contains_key(column)) {
        if problems
            .iter()
            .any(|problem| matches!(problem, WorksheetProblem::NumberTooHigh { column: known, .. } if *known == column))
        {
            continue;
        }
        problems.push(match column {
            SheetColumn::Max if has_scale => WorksheetProblem::Scale,
            _ => WorksheetProblem::NoColumn { column, found: headers.to_vec() },
        });
    }
    if problems.is_empty() { Ok(places) } else { Err(problems) }
}

/// The cells of a worksheet, from which the contents of its columns are inferred.
struct CellLook<'c> {
    columns: usize,
    cells: &'c [Vec<String>],
}

impl CellLook<'_> {
    /// Adds the columns that can be recognised only by their cells, because their headers are not in any list.
    fn find(&self, places: &mut BTreeMap<SheetColumn, usize>, has_scale: bool) {
        let is_free =
            |places: &BTreeMap<SheetColumn, usize>, place: usize| !places.values().any(|taken| *taken == place);
        // The column with the header of the identifier may contain the university's own numbers, which have no word
        // before them.
        if places.get(&SheetColumn::Id).is_some_and(|place| !self.all(*place, is_participant))
            && let Some(place) =
                (0..self.columns).find(|place| is_free(places, *place) && self.all(*place, is_participant))
        {
            places.insert(SheetColumn::Id, place);
        }
        for (column, fits) in [
            (SheetColumn::Id, &is_participant as &dyn Fn(&str) -> bool),
            (SheetColumn::Email, &|cell: &str| cell.contains('@')),
        ] {
            if !places.contains_key(&column)
                && let Some(place) = (0..self.columns).find(|place| is_free(places, *place) && self.all(*place, fits))
            {
                places.insert(column, place);
            }
        }
        // Moodle's second column is the full name, unless marking is blind.
        if let (Some(&id), Some(&email)) = (places.get(&SheetColumn::Id), places.get(&SheetColumn::Email))
            && !places.contains_key(&SheetColumn::Name)
            && email == id + 2
            && is_free(places, id + 1)
        {
            places.insert(SheetColumn::Name, id + 1);
        }
        // The highest grade is the same in all rows, and Moodle puts it after the grade.
        let is_after_grade = |place: usize| places.get(&SheetColumn::Grade).is_none_or(|grade| place == grade + 1);
        if !has_scale
            && !places.contains_key(&SheetColumn::Max)
            && let Some(place) = (0..self.columns)
                .rev()
                .find(|place| is_free(places, *place) && is_after_grade(*place) && self.is_one_number(*place))
        {
            places.insert(SheetColumn::Max, place);
        }
        if let Some(&maximum) = places.get(&SheetColumn::Max)
            && !places.contains_key(&SheetColumn::Grade)
            && let Some(place) = maximum.checked_sub(1).filter(|place| is_free(places, *place))
            && self.cells.iter().all(|row| row.get(place).is_none_or(|cell| cell.is_empty() || parsed(cell).is_some()))
        {
            places.insert(SheetColumn::Grade, place);
        }
    }

    /// Whether there is at least one row, and the cell at `place` satisfies `fits` in every row.
    fn all(&self, place: usize, fits: impl Fn(&str) -> bool) -> bool {
        !self.cells.is_empty() && self.cells.iter().all(|row| row.get(place).is_some_and(|cell| fits(cell)))
    }

    /// Whether the cells at `place` all contain the same number, above 0.
    fn is_one_number(&self, place: usize) -> bool {
        let number = |row: &Vec<String>| row.get(place).and_then(|cell| parsed(cell)).map(|(number, _)| number);
        let Some(first) = self.cells.first().and_then(number) else { return false };
        first > 0.0 && self.cells.iter().all(|row| number(row).is_some_and(|other| other.total_cmp(&first).is_eq()))
    }
}

/// Whether `cell` looks like `Participant 4711`, in any language.
fn is_participant(cell: &str) -> bool {
    let word = cell.trim().trim_end_matches(|letter: char| letter.is_ascii_digit());
    !word.is_empty() && !word.contains('@') && number_at_end(cell).is_some() && word.chars().any(char::is_alphabetic)
}
