//! Marks for GitHub: annotations, and the summary of a step.

use std::fmt::Write as _;

use super::feedback::total;
use super::mark_text;
use crate::base::sanitise::sanitised;
use crate::course::grades::{Gradebook, ItemMark, MarkState, StudentGrade};
use crate::course::rubric::{GradePoints, RubricItem};
use crate::results::quoting::{markdown, message, property};

/// The maximum number of annotations of each kind that GitHub shows for a step.
const MOST: usize = 10;

/// The points of an item as `grade --item` prints them: `points 14.5/20`, or `points -/20` if there are none yet.
fn item_line(item: &RubricItem, mark: &ItemMark) -> String {
    let points = mark.points.map_or_else(|| "-".to_owned(), |points| points.to_string());
    format!("points {points}/{}", item.points)
}

/// Whether an item needs no annotation: it has all its points, or the teacher marks it.
fn item_passes(item: &RubricItem, mark: &ItemMark) -> bool {
    mark.state == MarkState::Manual || mark.points == Some(item.points)
}

/// Workflow commands for every item for which a student does not have all points: errors if all points are lost,
/// warnings if some are, and notices for open items, which are not the student's fault. There are at most ten of each
/// kind.
pub fn annotations(book: &Gradebook) -> String {
    let [mut errors, mut warnings, mut notices] = [Vec::new(), Vec::new(), Vec::new()];
    for student in &book.students {
        for (item, mark) in book.rubric.items.iter().zip(&student.marks).filter(|(item, mark)| !item_passes(item, mark))
        {
            let (command, lines) = match mark.points {
                None => ("notice", &mut notices),
                Some(GradePoints::ZERO) => ("error", &mut errors),
                Some(_) => ("warning", &mut warnings),
            };
            let title = property(&sanitised(&format!("{}: {} {}", student.player, item.id, item_line(item, mark))));
            lines.push(format!("::{command} title={title}::{}\n", message(&sanitised(&mark.sentence))));
        }
    }
    for lines in [&mut errors, &mut warnings, &mut notices] {
        lines.truncate(MOST);
    }
    [errors, warnings, notices].concat().concat()
}

/// One table for each student, at most `most` bytes in total; students whose tables do not fit are only counted.
pub fn step_summary(book: &Gradebook, most: usize) -> String {
    const NOTE: usize = 100;
    let mut text = format!("### {}\n", markdown(&book.rubric.title));
    for (index, student) in book.students.iter().enumerate() {
        let table = student_table(book, student);
        if text.len() + table.len() + NOTE > most {
            let _ = write!(text, "\n{} more: see grades.csv.\n", book.students.len() - index);
            break;
        }
        text += &table;
    }
    text
}

fn student_table(book: &Gradebook, student: &StudentGrade) -> String {
    let total = total(&book.rubric, student);
    let mut text = format!("\n#### {}: {}\n\n", markdown(&student.player), markdown(&total));
    text += "| item | points | of | figure | why |\n| :--- | ---: | ---: | ---: | :--- |\n";
    for (item, mark) in book.rubric.items.iter().zip(&student.marks) {
        let cells = [
            item.id.clone(),
            mark_text::points(mark),
            mark_text::worth(item),
            mark_text::figure(mark),
            mark.sentence.clone(),
        ];
        let _ = writeln!(text, "| {} |", cells.map(|cell| markdown(&cell)).join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::handout::gradebooks_for_tests::{gradebook, mark, rubric, student};

    #[test]
    fn items_without_all_points_are_reported() {
        let rubric = rubric();
        let legal = &rubric.items[1];
        let [some, all, open] =
            [(14.5, MarkState::Borderline), (20.0, MarkState::Settled), (0.0, MarkState::Incomplete)]
                .map(|(worth, state)| mark(worth, state));
        assert_eq!(
            [&some, &all, &open].map(|mark| item_line(legal, mark)),
            ["points 14.5/20", "points 20/20", "points -/20"]
        );
        assert_eq!([&some, &all, &open].map(|mark| item_passes(legal, mark)), [false, true, false]);
        assert!(item_passes(&rubric.items[5], &mark(0.0, MarkState::Manual)));
    }

    #[test]
    fn annotations_are_commands_of_one_line_each_and_few() {
        let mut all: Vec<StudentGrade> = (0..20).map(|_| student("Ada: 100%", "")).collect();
        for student in &mut all {
            student.marks[2] = mark(0.0, MarkState::Settled);
        }
        all[0].marks[0].sentence = "one\n::error::two\u{1b}".to_owned();
        let text = annotations(&gradebook(all));
        assert_eq!(text.lines().count(), 30);
        assert!(
            text.lines()
                .next()
                .is_some_and(|line| line.starts_with("::error title=Ada%3A 100%25%3A no-forfeits points 0/10::"))
        );
        let open = text.lines().find(|line| line.starts_with("::notice"));
        assert!(open.is_some_and(|line| line.starts_with("::notice title=Ada%3A 100%25%3A accuracy points -/10::")));
        let warning = text.lines().find(|line| line.starts_with("::warning")).expect("a warning");
        assert_eq!(warning, "::warning title=Ada%3A 100%25%3A protocol points 10/30::one\\n::error::two\\u{1b}");
    }

    #[test]
    fn the_summary_fits() {
        let book = gradebook((0..40).map(|_| student("Ada | <b>", "")).collect());
        let text = step_summary(&book, 4000);
        assert!(text.len() <= 4000 && text.ends_with(" more: see grades.csv.\n"));
        assert!(text.contains("#### Ada \\| \\<b\\>: 48 of 90 so far, 10 open, including"));
        assert!(text.contains("| legal | 18\\.5 | 20 | 60\\.0% | 12 points of 20 games |"));
        assert!(!step_summary(&book, 1 << 20).contains("more:"));
    }
}
