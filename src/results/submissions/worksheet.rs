//! Who the students are, according to Moodle's worksheet of grades.
//!
//! Moodle translates the names of the columns. A column is therefore found by its English name or, failing that, by what its cells
//! look like.

use thiserror::Error;

use crate::results::handout::worksheet::worksheet_text;
use crate::results::roster::{RosterStudent, is_folder_of_team};

/// The students that a worksheet lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassList {
    /// The students, in the worksheet's order.
    pub students: Vec<ListedStudent>,
}

/// A row of the worksheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedStudent {
    /// Name, number and address.
    pub student: RosterStudent,
    /// The name of the student's group, if the worksheet has groups.
    pub group: Option<String>,
    /// Whether Moodle calls the submission late.
    pub late: bool,
}

/// A file that is no worksheet.
#[derive(Debug, Error)]
pub enum BadWorksheet {
    /// It is not CSV.
    #[error("it is not CSV: {0}")]
    Csv(#[from] csv::Error),
    /// It is cut off.
    #[error("it is UTF-16 and ends within a character: download the grading worksheet again")]
    HalfCharacter,
    /// It has no column of participants.
    #[error(
        "no column says `Participant` and a number, as Moodle's column `Identifier` does: download the grading worksheet again"
    )]
    NoIdentifier,
}

impl ClassList {
    /// Reads a worksheet in UTF-8, UTF-16 or Windows-1252 with commas, semicolons or tabs between its cells.
    ///
    /// # Errors
    /// Fails if the file is cut off or not CSV, or if no column has the numbers of participants.
    pub fn parse(bytes: &[u8]) -> Result<Self, BadWorksheet> {
        let text = worksheet_text(bytes).ok_or(BadWorksheet::HalfCharacter)?;
        let first = text.lines().next().unwrap_or_default();
        let count = |separator: u8| first.bytes().filter(|byte| *byte == separator).count();
        let separator = [b',', b';', b'\t'].into_iter().rev().max_by_key(|separator| count(*separator)).unwrap_or(b',');
        let mut reader = csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text.as_bytes());
        let header: Vec<String> = reader.headers()?.iter().map(|cell| cell.trim().to_lowercase()).collect();
        let rows = reader.records().collect::<Result<Vec<_>, _>>()?;
        let named = |names: &[&str]| header.iter().position(|cell| names.contains(&cell.as_str()));
        let looking = |fits: &dyn Fn(&str) -> bool| {
            (0..header.len())
                .find(|&column| !rows.is_empty() && rows.iter().all(|row| row.get(column).is_some_and(fits)))
        };
        let identifier = named(&["identifier"]).or_else(|| looking(&|cell| participant(cell).is_some()));
        let identifier = identifier.ok_or(BadWorksheet::NoIdentifier)?;
        let email = named(&["email address", "email"]).or_else(|| looking(&|cell| cell.contains('@')));
        let group = named(&["group", "groups"]);
        let status = named(&["status"]);
        // Moodle's second column is the full name, unless marking is blind.
        let full_name = named(&["full name"]).or((identifier == 0 && email == Some(2)).then_some(1));
        let students = rows.iter().filter_map(|row| {
            let cell = |column: Option<usize>| column.and_then(|column| row.get(column)).unwrap_or_default().trim();
            Some(ListedStudent {
                student: RosterStudent {
                    name: cell(full_name).to_owned(),
                    participant: Some(participant(cell(Some(identifier)))?),
                    email: Some(cell(email).to_owned()).filter(|email| !email.is_empty()),
                },
                group: Some(cell(group).to_owned()).filter(|group| !group.is_empty()),
                late: cell(status).to_lowercase().contains("late"),
            })
        });
        Ok(Self { students: students.collect() })
    }

    /// The student with this number.
    pub fn of_participant(&self, participant: &str) -> Option<&ListedStudent> {
        self.students.iter().find(|listed| listed.student.participant.as_deref() == Some(participant))
    }

    /// The students of the team whose folder is named after `folder`.
    pub fn of_team(&self, folder: &str) -> Vec<RosterStudent> {
        let is_in =
            |listed: &&ListedStudent| listed.group.as_deref().is_some_and(|group| is_folder_of_team(folder, group));
        self.students.iter().filter(is_in).map(|listed| listed.student.clone()).collect()
    }
}

/// The number in `Participant 4711`, in any language.
fn participant(cell: &str) -> Option<String> {
    let cell = cell.trim();
    let word = cell.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = &cell[word.len()..];
    (!word.is_empty() && !number.is_empty() && !word.contains('@')).then(|| number.to_owned())
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
        assert!(ClassList::parse(b"\xff\xfea").unwrap_err().to_string().contains("UTF-16"));
    }

    #[test]
    fn a_file_without_participants_is_no_worksheet() {
        for text in ["", "Name,Grade\nAda,1\n", "a@b1,c\nx@y1,d\n"] {
            assert!(ClassList::parse(text.as_bytes()).unwrap_err().to_string().contains("Identifier"), "{text}");
        }
    }
}
