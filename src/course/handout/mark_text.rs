//! The mark of an item as text.

use crate::course::grades::{FigureUnit, Gradebook, ItemMark, MarkFigure, MarkState, StudentGrade};
use crate::course::rubric::RubricItem;

/// `14.5`, or why there are no points.
pub(crate) fn points(mark: &ItemMark) -> String {
    match (mark.points, mark.state) {
        (Some(points), _) => points.to_string(),
        (None, MarkState::Manual) => "by hand".to_owned(),
        (None, _) => "open".to_owned(),
    }
}

/// `20`, or `20 bonus`.
pub(crate) fn worth(item: &RubricItem) -> String {
    format!("{}{}", item.points, if item.bonus { " bonus" } else { "" })
}

/// The figure with its unit, such as `71.3%`; a dash if there is none.
pub(crate) fn figure(mark: &ItemMark) -> String {
    mark.figure.map_or_else(|| "–".to_owned(), |figure| with_unit(figure.value, figure.unit))
}

/// The interval, and the end that counts: `61.0% to 80.2%`; a dash if there is none.
pub(crate) fn interval(mark: &ItemMark) -> String {
    let Some(MarkFigure { value, interval: Some([low, high]), counted, unit }) = mark.figure else {
        return "–".to_owned();
    };
    let interval = format!("{} to {}", with_unit(low, unit), with_unit(high, unit));
    let [value, counted] = [value, counted].map(|figure| with_unit(figure, unit));
    if counted == value { interval } else { format!("{interval}; {counted} counts") }
}

/// `figure` in its unit.
fn with_unit(figure: f64, unit: FigureUnit) -> String {
    match unit {
        FigureUnit::Share => format!("{:.1}%", 100.0 * figure),
        FigureUnit::PerThousand => format!("{figure:.1} in 1000"),
        FigureUnit::Games => format!("{figure:.0} {}", if (figure - 1.0).abs() < 0.5 { "game" } else { "games" }),
        FigureUnit::Stones => format!("{figure:.2} stones"),
    }
}

/// A note about how certain the mark is; `None` if it is certain, or if the teacher gives the points.
pub(crate) const fn state(mark: &ItemMark) -> Option<&'static str> {
    match mark.state {
        MarkState::Settled | MarkState::Manual => None,
        MarkState::Borderline => Some("borderline: a few more games might change the points"),
        MarkState::Incomplete => Some("open: evidence is missing, through no fault of the student"),
    }
}

/// The note that some marks of `student` in `book` are not certain, which appears once on a page; empty if all marks
/// are certain.
pub(crate) fn doubts(book: &Gradebook, student: &StudentGrade) -> String {
    if student.marks.iter().any(|mark| book.is_doubtful(mark)) {
        return "?: a few more games might change these points.".to_owned();
    }
    let is_few = book.has_too_few_games() && student.is_borderline();
    if is_few { few_games(book, "more games might change the points.") } else { String::new() }
}

/// A sentence saying that there are few games, and the consequence `so`.
pub(crate) fn few_games(book: &Gradebook, so: &str) -> String {
    format!("There were at most {} games against each opponent. That is few: {so}", book.rubric.play.max_games)
}
