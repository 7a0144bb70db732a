//! Matches students in a gradebook with Moodle participants, and fills in the worksheet.

use super::worksheet::{
    FilledWorksheet, GradeFit, SheetMark, SheetParticipant, SheetTotals, Worksheet, WorksheetProblem,
};
use crate::base::sanitise::sanitised;
use crate::course::grades::{Gradebook, ItemMark, StudentGrade};
use crate::course::roster::{Roster, RosterEntry, RosterStudent, SubmissionLayout};
use crate::course::rubric::{GradePoints, ItemRule, Rubric, RubricItem};
use crate::results::text_cell::text_cell;

/// A warning for a teacher about the grades for Moodle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoodleWarning {
    /// A submission that does not come from Moodle.
    #[error("`{}` was not submitted through Moodle, so its grade is not in moodle.csv", sanitised(player))]
    NotFromMoodle {
        /// The player.
        player: String,
    },
    /// A team whose members are unknown.
    #[error(
        "`{}` is the bot of the team `{}`; the column `Group` of the worksheet lists no member of this team, so this grade \
         is not in moodle.csv",
        sanitised(player),
        sanitised(team)
    )]
    TeamWithoutMembers {
        /// The player.
        player: String,
        /// The team.
        team: String,
    },
    /// An item that the teacher marks.
    #[error("you have to mark the item `{item}` yourself: its {points} points are not in the grades")]
    Manual {
        /// The item.
        item: String,
        /// Its points.
        points: GradePoints,
    },
}

/// How the points of `rubric` are converted to the grades of a worksheet.
pub fn totals(rubric: &Rubric, fit: GradeFit) -> SheetTotals {
    let bonus: GradePoints = rubric.items.iter().filter(|item| item.bonus).map(|item| item.points).sum();
    SheetTotals { total: rubric.total.number(), bonus: bonus.number(), fit }
}

/// Fills the grades of `book` into `sheet`. Also returns warnings for the teacher, apart from the worksheet's own
/// warnings.
///
/// # Errors
/// Returns an error if the rubric's total does not fit the worksheet, or if no student has a row.
pub fn filled(
    sheet: &Worksheet,
    book: &Gradebook,
    roster: &Roster,
    fit: GradeFit,
) -> Result<(FilledWorksheet, Vec<MoodleWarning>), Vec<WorksheetProblem>> {
    let mut warnings: Vec<MoodleWarning> = book.rubric.items.iter().filter_map(manual).collect();
    let mut marks = Vec::new();
    for student in &book.students {
        let player = || student.player.clone();
        // The class roll lists the players that are not in the roster.
        let Some(entry) = roster.of_player(&student.player) else { continue };
        if !is_from_moodle(entry) {
            warnings.push(MoodleWarning::NotFromMoodle { player: player() });
            continue;
        }
        let participants = participants(entry, sheet);
        if let (true, Some(team)) = (participants.is_empty(), &entry.team) {
            warnings.push(MoodleWarning::TeamWithoutMembers { player: player(), team: team.name.clone() });
        }
        marks.extend(participants.into_iter().map(|participant| SheetMark {
            player: player(),
            participant,
            points: (!student.is_incomplete()).then(|| student.total().number()),
            comment: comment(&book.rubric, student),
        }));
    }
    Ok((sheet.filled(&marks, totals(&book.rubric, fit))?, warnings))
}

/// Checks that `sheet` belongs to the class of `roster`, judging by its rows.
///
/// # Errors
/// Returns an error if no student who handed in a submission has a row.
pub fn check_class(sheet: &Worksheet, roster: &Roster) -> Result<(), WorksheetProblem> {
    let submissions = roster.submissions.iter().filter(|entry| is_from_moodle(entry));
    let students: Vec<u64> = submissions.flat_map(|entry| participants(entry, sheet)).collect();
    if students.is_empty() || students.iter().any(|&student| sheet.has_row(student)) {
        return Ok(());
    }
    Err(WorksheetProblem::OtherClass { students: students.len() })
}

/// A table of grades for a teacher without a worksheet. Moodle's import would reject it, because it lacks a column.
pub fn plain_grades(book: &Gradebook, roster: &Roster) -> String {
    let mut text = String::from("Identifier,Full name,Grade\n");
    for student in &book.students {
        let entry = roster.of_player(&student.player);
        let students = entry.map(RosterEntry::students).filter(|students| !students.is_empty());
        let nobody = || RosterStudent { name: student.player.clone(), participant: None, email: None };
        for RosterStudent { name, participant, .. } in students.unwrap_or_else(|| vec![nobody()]) {
            let is_moodle = entry.is_some_and(is_from_moodle);
            let prefix = if is_moodle { "Participant " } else { "" };
            let id = participant.map(|number| format!("{prefix}{number}")).unwrap_or_default();
            let grade = if student.is_incomplete() { String::new() } else { student.total().to_string() };
            let cells = [quoted(&id), quoted(&name), grade];
            text += &cells.join(",");
            text.push('\n');
        }
    }
    text
}

/// A CSV cell that a spreadsheet treats as text.
fn quoted(text: &str) -> String {
    let text = sanitised(text);
    let cell = text_cell(&text);
    if cell.contains([',', '"', ' ', '\'']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into_owned() }
}

const fn is_from_moodle(entry: &RosterEntry) -> bool {
    matches!(entry.layout, SubmissionLayout::MoodleFolders | SubmissionLayout::MoodleFiles)
}

/// The members of the team that handed in `entry`: as listed in the worksheet, or else in the roster. Returns `None`
/// for a student's own submission.
///
/// Without a worksheet, `import` mistakes a team for a student. The number of the team's folder could also be the
/// number of another student's row, so the worksheet decides.
pub(super) fn team_members(entry: &RosterEntry, sheet: Option<&Worksheet>) -> Option<Vec<SheetParticipant>> {
    let folder = entry.team.as_ref().map_or(&entry.full_name, |team| &team.name);
    let by_sheet = sheet.map(|sheet| sheet.members_of(folder)).unwrap_or_default();
    if !by_sheet.is_empty() {
        return Some(by_sheet);
    }
    let known = |member: &RosterStudent| {
        let participant = member.participant.as_ref()?.parse().ok()?;
        Some(SheetParticipant { participant, name: member.name.clone() })
    };
    Some(entry.team.as_ref()?.members.iter().filter_map(known).collect())
}

/// The participants who get the grade of `entry`.
fn participants(entry: &RosterEntry, sheet: &Worksheet) -> Vec<u64> {
    match team_members(entry, Some(sheet)) {
        Some(members) => members.into_iter().map(|member| member.participant).collect(),
        None => entry.participant.iter().filter_map(|number| number.parse().ok()).collect(),
    }
}

fn manual(item: &RubricItem) -> Option<MoodleWarning> {
    let is_open = matches!(item.rule, ItemRule::Manual) && item.points > GradePoints::ZERO;
    is_open.then(|| MoodleWarning::Manual { item: item.id.clone(), points: item.points })
}

/// `85.5 of 100 points; protocol 20/20, legal 18.5/20`.
fn comment(rubric: &Rubric, student: &StudentGrade) -> String {
    let item = |(item, mark): (&RubricItem, &ItemMark)| Some(format!("{} {}/{}", item.id, mark.points?, item.points));
    let items: Vec<String> = rubric.items.iter().zip(&student.marks).filter_map(item).collect();
    format!("{} of {} points; {}", student.total(), rubric.total, items.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::grades::{MarkState, grades_csv};
    use crate::course::handout::gradebooks_for_tests::{gradebook, mark, roster_entry, student};
    use crate::course::handout::worksheet::ColumnNumbers;
    use crate::course::roster::{ClassRoll, RosterTeam};

    const SHEET: &str = "Identifier,Full name,Group,Grade,Maximum grade,Last modified (grade),Feedback comments\n\
                         Participant 1,Ada,Red,,105,-,\nParticipant 2,Bob,Red,,105,-,\nParticipant 3,Eve,,,105,-,\n";

    fn sheet() -> Worksheet {
        Worksheet::read(SHEET.as_bytes(), &ColumnNumbers::default()).expect("a worksheet")
    }

    /// A student with all marks settled.
    fn settled(player: &str) -> StudentGrade {
        let marks = [30.0, 20.0, 10.0, 12.5, 10.0, 0.0, 5.0].map(|worth| mark(worth, MarkState::Settled)).into();
        StudentGrade { marks, ..student(player, "") }
    }

    fn team(name: &str) -> RosterEntry {
        let team = RosterTeam { name: name.to_owned(), members: Vec::new() };
        RosterEntry { team: Some(team), ..roster_entry(name, 900) }
    }

    #[test]
    fn every_member_of_a_team_gets_its_grade_and_open_grades_stay_empty() {
        let book = gradebook(vec![settled("Red"), student("Eve", "")]);
        let roster = Roster::new(vec![team("Red"), roster_entry("Eve", 3)]);
        let (filled, warnings) = filled(&sheet(), &book, &roster, GradeFit::default()).expect("filled");
        let comment = "\"gothello-arena: 87.5 of 100 points; protocol 30/30, legal 20/20, no-forfeits 10/10, minimax 12.5/30, \
                       accuracy 10/10, writeup 0/0, beats-ab3 5/5\"";
        let expected = SHEET.replace("Ada,Red,,105,-,", &format!("Ada,Red,87.5,105,-,{comment}"));
        let expected = expected.replace("Bob,Red,,105,-,", &format!("Bob,Red,87.5,105,-,{comment}"));
        assert_eq!(String::from_utf8(filled.bytes).expect("UTF-8"), expected);
        assert_eq!(
            filled.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["`Eve` has no grade yet, so its row stays as it was"]
        );
        assert!(warnings.is_empty());
    }

    #[test]
    fn the_table_of_all_figures_names_the_members_of_a_team() {
        let student = |name: &str| RosterStudent { name: name.to_owned(), participant: None, email: None };
        let members = vec![student("Jo"), student("=Kim\u{1b}")];
        let red = RosterEntry { team: Some(RosterTeam { name: "Red".to_owned(), members }), ..team("Red") };
        let roll = ClassRoll { roster: Roster::new(vec![red]), missing: Vec::new(), strangers: Vec::new() };
        let table = grades_csv(&gradebook(vec![settled("Red")]), Some(&roll));
        assert!(table.contains("\nRed,900,,87.5,100,5,,,,\"team: Jo, =Kim\\u{1b}\",30,"), "{table}");
    }

    #[test]
    fn a_team_that_was_taken_for_a_student_gets_nobody_elses_row() {
        let book = gradebook(vec![settled("Red")]);
        // The team has the same number as Eve's row.
        let roster = Roster::new(vec![roster_entry("Red", 3)]);
        let (filled, warnings) = filled(&sheet(), &book, &roster, GradeFit::default()).expect("filled");
        let grades = |name: &str| {
            let text = String::from_utf8(filled.bytes.clone()).expect("UTF-8");
            text.lines().filter(|line| line.contains(name)).filter(|line| line.contains(",87.5,")).count()
        };
        assert_eq!(["Ada", "Bob", "Eve"].map(grades), [1, 1, 0]);
        assert!(warnings.is_empty());
    }

    #[test]
    fn the_worksheet_of_another_class_is_known_before_there_are_grades() {
        let class = |participants: &[u64]| {
            let entries = participants.iter().map(|&number| roster_entry(&format!("p{number}"), number));
            check_class(&sheet(), &Roster::new(entries.collect())).map_err(|problem| problem.to_string())
        };
        assert_eq!((class(&[7, 3]), class(&[])), (Ok(()), Ok(())));
        let why = "none of the 2 students in the class has a row; is this the worksheet of another assignment?";
        assert_eq!(class(&[7, 8]), Err(why.to_owned()));
    }

    #[test]
    fn grades_that_reach_nobody_are_reported() {
        let mut book = gradebook(vec![settled("Green"), settled("Eve"), settled("Elsewhere"), settled("Stranger")]);
        book.rubric.items[5].points = GradePoints::new(10.0).expect("points");
        let elsewhere = RosterEntry { layout: SubmissionLayout::Canvas, ..roster_entry("Elsewhere", 4) };
        let roster = Roster::new(vec![team("Green"), roster_entry("Eve", 3), elsewhere]);
        let (_, warnings) = filled(&sheet(), &book, &roster, GradeFit::default()).expect("filled");
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            warnings,
            [
                "you have to mark the item `writeup` yourself: its 10 points are not in the grades",
                "`Green` is the bot of the team `Green`; the column `Group` of the worksheet lists no member of this team, so this \
                 grade is not in moodle.csv",
                "`Elsewhere` was not submitted through Moodle, so its grade is not in moodle.csv",
            ]
        );
    }

    #[test]
    fn without_a_worksheet_there_is_a_plain_table_that_no_spreadsheet_carries_out() {
        let mut formula = roster_entry("Ada", 1);
        formula.full_name = "=HYPERLINK(\"x\"),\u{202e}Ada".to_owned();
        let book = gradebook(vec![settled("Ada"), student("Eve", ""), settled("Stranger")]);
        let roster = Roster::new(vec![formula, roster_entry("Eve", 3)]);
        assert_eq!(
            plain_grades(&book, &roster),
            "Identifier,Full name,Grade\n\"Participant 1\",\"'=HYPERLINK(\"\"x\"\"),\\u{202e}Ada\",87.5\n\
             \"Participant 3\",Eve,\n,Stranger,87.5\n"
        );
    }
}
