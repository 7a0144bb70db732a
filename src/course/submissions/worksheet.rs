//! The students of a class, according to Moodle's grading worksheet.

use crate::course::handout::worksheet::{ListedRow, WorksheetProblem, listed_rows};
use crate::course::roster::{RosterStudent, is_folder_of_team};

/// The students that a worksheet lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassList {
    /// The students, in the worksheet's order.
    pub students: Vec<ListedStudent>,
}

/// A row of the worksheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedStudent {
    /// The student's name, number and address.
    pub student: RosterStudent,
    /// The name of the student's group, if the worksheet has groups.
    pub group: Option<String>,
    /// Whether Moodle marks the submission as late.
    pub late: bool,
}

impl ClassList {
    /// Reads a worksheet in UTF-8, UTF-16 or Windows-1252, as `grade` does.
    ///
    /// # Errors
    /// Returns an error if the file is truncated or not CSV, or if no column contains the numbers of participants.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<WorksheetProblem>> {
        let listed = |row: ListedRow| ListedStudent {
            student: RosterStudent { name: row.name, participant: Some(row.participant), email: row.email },
            group: row.group,
            late: row.is_late,
        };
        Ok(Self { students: listed_rows(bytes)?.into_iter().map(listed).collect() })
    }

    /// The student whose number is `participant`.
    pub fn of_participant(&self, participant: &str) -> Option<&ListedStudent> {
        self.students.iter().find(|listed| listed.student.participant.as_deref() == Some(participant))
    }

    /// The students of the team whose folder is called `folder`.
    pub fn of_team(&self, folder: &str) -> Vec<RosterStudent> {
        let is_in =
            |listed: &&ListedStudent| listed.group.as_deref().is_some_and(|group| is_folder_of_team(folder, group));
        self.students.iter().filter(is_in).map(|listed| listed.student.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_groups_and_late_submissions_are_read() {
        let text = "\u{feff}Identifier,Full name,Email address,Status,Group,Grade\n\
                    Participant 4711,\"King, Ada\",ada@example.edu,Submitted for grading - Late,Red_Team,\n\
                    Participant 4712,Bob Ray,bob@example.edu,No submission,,\n";
        let list = ClassList::parse(text.as_bytes()).unwrap();
        let ada = list.of_participant("4711").unwrap();
        assert_eq!((ada.student.name.as_str(), ada.late), ("King, Ada", true));
        assert_eq!(list.of_team("Red Team"), std::slice::from_ref(&ada.student));
        assert_eq!(list.of_participant("4712").unwrap().group, None);
        assert_eq!(list.of_participant("471"), None);
    }

    #[test]
    fn a_worksheet_in_another_language_is_read_by_its_cells() {
        let text = "ID;Vollständiger Name;E-Mail-Adresse;Bewertung\r\nTeilnehmer/in4711;Jürgen Groß;j@example.edu;\r\n";
        let list = ClassList::parse(text.as_bytes()).unwrap();
        assert_eq!(list.students[0].student.name, "Jürgen Groß");
        assert_eq!(list.students[0].student.participant.as_deref(), Some("4711"));
    }

    #[test]
    fn every_coding_that_grade_reads_is_read() {
        let text = "Identifier;Full name\r\nTeilnehmer/in4711;Jürgen Groß\r\n";
        let wide =
            |unit: fn(u16) -> [u8; 2]| -> Vec<u8> { format!("\u{feff}{text}").encode_utf16().flat_map(unit).collect() };
        let single: Vec<u8> = text.chars().filter_map(|letter| u8::try_from(u32::from(letter)).ok()).collect();
        for bytes in [text.into(), wide(u16::to_le_bytes), wide(u16::to_be_bytes), single] {
            let list = ClassList::parse(&bytes).unwrap();
            assert_eq!(list.students[0].student.name, "Jürgen Groß");
        }
        assert_eq!(ClassList::parse(b"\xff\xfea"), Err(vec![WorksheetProblem::HalfCharacter]));
    }

    #[test]
    fn a_file_without_participants_is_not_a_worksheet() {
        for text in ["Name,Grade\nAda,1\n", "a@b1,c\nx@y1,d\n"] {
            let problems = ClassList::parse(text.as_bytes()).unwrap_err();
            assert!(problems[0].to_string().contains("`Identifier`"), "{text}");
        }
        assert_eq!(ClassList::parse(b""), Err(vec![WorksheetProblem::Empty]));
    }
}
