//! Grades as text for a terminal.

use std::fmt::Write as _;

use super::grades_csv::ids;
use super::{Gradebook, MarkState, StudentGrade};
use crate::base::sanitise::sanitised;
use crate::base::units::counted;

/// One line for each student, and a list of what a teacher should check.
pub fn class_text(book: &Gradebook) -> String {
    let mut text = format!("{}: {}\n", sanitised(&book.rubric.title), counted(book.students.len() as u64, "student"));
    let mut rows: Vec<Vec<String>> = Vec::with_capacity(book.students.len() + 1);
    let head = ["player".to_owned(), format!("of {}", book.rubric.total)];
    rows.push(head.into_iter().chain(book.rubric.items.iter().map(|item| item.id.clone())).collect());
    for student in &book.students {
        let total = if student.is_incomplete() { "-".to_owned() } else { student.total().to_string() };
        let marks = student.marks.iter().map(|mark| {
            let points = mark.points.map_or_else(|| "-".to_owned(), |points| points.to_string());
            let sign = if mark.state == MarkState::Borderline { "?" } else { "" };
            format!("{points}{sign}")
        });
        rows.push([sanitised(&student.player), total].into_iter().chain(marks).collect());
    }
    text += &columns(&rows);
    let borderline = book.students.iter().filter(|student| student.is_borderline()).count();
    if borderline > 0 {
        let _ = writeln!(
            text,
            "? means borderline: more games could change the points, but no more are played ({}; see `max_games` under `[play]`).",
            counted(borderline as u64, "student")
        );
    }
    for student in book.students.iter().filter(|student| student.is_incomplete()) {
        let items = ids(book, student, MarkState::Incomplete).join(", ");
        let points = student.points_text(&book.rubric);
        let player = sanitised(&student.player);
        let _ = writeln!(text, "{player}: {points}: {items}; grade again to complete the marks.");
    }
    for other in &book.ungraded {
        let _ = writeln!(text, "{} is not graded: {}.", sanitised(&other.player), sanitised(&other.why));
    }
    text
}

/// Aligns `rows` in columns: the first column is left-aligned, and the others are right-aligned.
fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.first().map_or(0, Vec::len);
    let width = |text: &String| text.chars().count();
    let widths: Vec<usize> =
        (0..count).map(|column| rows.iter().filter_map(|row| row.get(column)).map(width).max().unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ") + "\n"
    };
    rows.iter().map(line).collect()
}

/// The marks of one student, each with the sentence that explains it.
pub fn student_text(book: &Gradebook, student: &StudentGrade) -> String {
    let mut text = format!("{}: {}\n", sanitised(&student.player), student.points_text(&book.rubric));
    let width = book.rubric.items.iter().map(|item| item.id.len()).max().unwrap_or(0);
    for (item, mark) in book.rubric.items.iter().zip(&student.marks) {
        let points = mark.points.map_or_else(|| "-".to_owned(), |points| points.to_string());
        let state = match mark.state {
            MarkState::Settled | MarkState::Manual => "",
            MarkState::Borderline => " (borderline)",
            MarkState::Incomplete => " (incomplete)",
        };
        let worth = format!("{points}/{}", item.points);
        let _ = writeln!(text, "  {:width$}  {worth:>9}{state}  {}", item.id, mark.sentence);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_column_is_left_aligned_and_the_others_are_right_aligned() {
        let rows = [["player", "of 100", "a"], ["Zoë", "5", "12.5?"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(columns(&rows), "player  of 100      a\nZoë          5  12.5?\n");
        assert_eq!(columns(&[]), "");
    }
}
