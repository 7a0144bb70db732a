//! grades.csv: one row for each student, with the points and figures of each item.

use super::{Gradebook, MarkState, StudentGrade};
use crate::base::sanitise::sanitised;
use crate::course::roster::{ClassRoll, MissingStudent, RosterEntry};
use crate::results::text_cell::text_cell;

/// The first columns. Four more follow for each item: points, figure, and the ends of the interval.
const COLUMNS: [&str; 10] =
    ["player", "moodle_id", "email", "total", "max", "bonus", "borderline", "incomplete", "late", "note"];

/// The contents of grades.csv. If there is a `roll`, it provides the participants, e-mail addresses and lateness, and
/// also the last rows, for students without a player, who have no points but a `note` with the reason. The `note` of a
/// team names its members. `total` includes `bonus`, and is empty while a mark is incomplete; `borderline` and
/// `incomplete` name the items in question.
pub fn grades_csv(book: &Gradebook, roll: Option<&ClassRoll>) -> String {
    let mut rows = vec![header(book)];
    rows.extend(book.students.iter().map(|student| row(book, student, roll)));
    let missing = roll.map_or(&[][..], |roll| &roll.missing);
    rows.extend(missing.iter().map(|student| missing_row(book, student)));
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // Writing to memory does not fail, and all rows are as long as the header.
        let _ = writer.write_record(row);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

fn header(book: &Gradebook) -> Vec<String> {
    let of_items = book
        .rubric
        .items
        .iter()
        .flat_map(|item| ["points", "figure", "low", "high"].map(|column| format!("{}_{column}", item.id)));
    COLUMNS.into_iter().map(str::to_owned).chain(of_items).collect()
}

fn row(book: &Gradebook, student: &StudentGrade, roll: Option<&ClassRoll>) -> Vec<String> {
    let entry = roll.and_then(|roll| roll.roster.of_player(&student.player));
    let total = if student.is_incomplete() { String::new() } else { student.total().to_string() };
    let mut row = vec![
        text_cell(&student.player).into_owned(),
        text(entry.and_then(|entry| entry.participant.as_ref())),
        text(entry.and_then(|entry| entry.email.as_ref())),
        total,
        book.rubric.total.to_string(),
        student.bonus(&book.rubric).to_string(),
        ids(book, student, MarkState::Borderline).join(" "),
        ids(book, student, MarkState::Incomplete).join(" "),
        late(entry),
        members(entry),
    ];
    for mark in &student.marks {
        let figure = mark.figure;
        let end = |end: usize| figure.and_then(|figure| Some(figure.interval?[end]));
        row.push(mark.points.map(|points| points.to_string()).unwrap_or_default());
        let numbers = [figure.map(|figure| figure.value), end(0), end(1)];
        row.extend(numbers.map(|number| number.map(decimal).unwrap_or_default()));
    }
    row
}

/// The row of a student without a player.
fn missing_row(book: &Gradebook, student: &MissingStudent) -> Vec<String> {
    let [participant, email] = student.contact().map(text);
    let max = book.rubric.total.to_string();
    let [total, bonus, borderline, incomplete] = [const { String::new() }; 4];
    let name = text_cell(&student.name()).into_owned();
    let late = late(student.entry());
    let mut row =
        vec![name, participant, email, total, max, bonus, borderline, incomplete, late, student.why().to_owned()];
    row.resize(header(book).len(), String::new());
    row
}

/// A cell that a spreadsheet treats as text.
fn text(text: Option<&String>) -> String {
    text.map(|text| text_cell(text).into_owned()).unwrap_or_default()
}

/// `team: Ada King, Bob Ray`, or the empty string.
fn members(entry: Option<&RosterEntry>) -> String {
    let members = entry.and_then(|entry| entry.team.as_ref()).map_or(&[][..], |team| &team.members);
    let names: Vec<String> = members.iter().map(|member| sanitised(&member.name)).collect();
    if names.is_empty() { String::new() } else { format!("team: {}", names.join(", ")) }
}

/// `late`, or the empty string.
fn late(entry: Option<&RosterEntry>) -> String {
    String::from(if entry.is_some_and(|entry| entry.late) { "late" } else { "" })
}

/// The ids of the items in which the mark of `student` has this `state`.
pub(super) fn ids<'b>(book: &'b Gradebook, student: &StudentGrade, state: MarkState) -> Vec<&'b str> {
    let items = book.rubric.items.iter().zip(&student.marks);
    items.filter(|(_, mark)| mark.state == state).map(|(item, _)| item.id.as_str()).collect()
}

/// A figure with at most four decimal places.
pub(super) fn decimal(number: f64) -> String {
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
